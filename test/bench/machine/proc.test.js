/** The harness's figures against those that other means give. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import {
  cpuMs,
  cpuMsOfAll,
  memoryOf,
  parseRollup,
  processTree,
} from '../../../bench/machine/proc.js';

const hasSmem = spawnSync('smem', ['--help']).status === 0;

/** A Node process that holds some memory and waits. @param {import('node:test').TestContext} t @param {number} mebibytes */
async function idleNode(t, mebibytes) {
  const code = `const b = Buffer.alloc(${mebibytes << 20}, 1); console.log(b.length); setInterval(() => b, 1e9)`;
  const child = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  // Its garbage collector shall not change it between two looks.
  child.kill('SIGSTOP');
  return Number(child.pid);
}

test('PSS and USS as smem (Debian) tells them, within 2 %', { skip: !hasSmem }, async (t) => {
  const pids = await Promise.all([idleNode(t, 5), idleNode(t, 20), idleNode(t, 40)]);
  const { status, stdout, stderr } = spawnSync('smem', ['-H', '-c', 'pid pss uss'], {
    encoding: 'utf8',
  });
  assert.equal(status, 0, stderr);
  const rows = stdout.trim().split('\n');
  const told = rows.map((row) => row.trim().split(/\s+/).map(Number));
  const mine = told.filter(([pid]) => pids.includes(pid));
  assert.equal(mine.length, 3, stdout);
  const sum = (/** @type {number} */ column) => mine.reduce((all, row) => all + row[column], 0);
  const { pss, uss } = memoryOf(pids);
  assert.ok(Math.abs(pss / sum(1) - 1) < 0.02, `PSS ${pss} KiB, smem ${sum(1)}`);
  assert.ok(Math.abs(uss / sum(2) - 1) < 0.02, `USS ${uss} KiB, smem ${sum(2)}`);
});

test('the parts of PSS add up to it', () => {
  const { pss, anon, file, shmem, uss, dirty } = memoryOf([process.pid]);
  assert.ok(Math.abs(anon + file + shmem - pss) <= 4, `${anon} + ${file} + ${shmem}, not ${pss}`);
  assert.ok(uss > 0 && uss <= pss && dirty <= pss);
  assert.equal(memoryOf([2 ** 22]).pss, 0); // no such process
  assert.equal(parseRollup('Pss:   12 kB\nKSM:    7 kB\n').ksm, 7);
});

test('what an old kernel does not tell is no figure, and not 0', () => {
  const old = parseRollup('Pss:   12 kB\nPrivate_Clean:   3 kB\nPrivate_Dirty:   4 kB\n');
  assert.deepEqual([old.pss, old.uss, old.ksm, old.anon], [12, 7, NaN, NaN]);
  // Before smaps_rollup: the lines of smaps, one a mapping.
  assert.equal(parseRollup('Pss:   12 kB\nRss: 99 kB\nPss:   30 kB\n').pss, 42);
});

test('a process tree holds the grandchildren, and their CPU time', async (t) => {
  const inner =
    'const end = Date.now() + 300; while (Date.now() < end); console.log(0); setInterval(() => 0, 1e9)';
  const outer = `require('child_process').spawn(process.execPath, ['-e', ${JSON.stringify(inner)}], {stdio: 'inherit'})`;
  const child = spawn(process.execPath, ['-e', outer], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => processTree(Number(child.pid)).forEach((pid) => process.kill(pid, 'SIGKILL')));
  await once(child.stdout, 'data');
  const tree = processTree(Number(child.pid));
  assert.equal(tree.length, 2);
  const fine = cpuMs(tree);
  const coarse = cpuMsOfAll(tree);
  assert.ok(Math.abs(fine - coarse) < 0.2 * coarse + 30, `${fine} ms and ${coarse} ms`);
});
