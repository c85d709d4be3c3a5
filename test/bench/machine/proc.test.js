/** Tests both sources of CPU time. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import { processTree } from '../../../app/process/process-tree.js';
import { cpuMs, cpuMsOfAll } from '../../../bench/machine/proc.js';

test('both sources give the same CPU time of a process tree', async (t) => {
  const inner = 'while (process.cpuUsage().user < 3e5); console.log(0); setInterval(() => 0, 1e9)';
  const outer = `require('child_process').spawn(process.execPath, ['-e', ${JSON.stringify(inner)}], {stdio: 'inherit'})`;
  const child = spawn(process.execPath, ['-e', outer], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => processTree(Number(child.pid)).forEach((pid) => process.kill(pid, 'SIGKILL')));
  await once(child.stdout, 'data');
  const tree = processTree(Number(child.pid));
  assert.equal(tree.length, 2);
  const fine = cpuMs(tree);
  const coarse = cpuMsOfAll(tree);
  assert.ok(fine >= 300, `${fine} ms`);
  assert.ok(Math.abs(fine - coarse) < 0.2 * coarse + 30, `${fine} ms and ${coarse} ms`);
});
