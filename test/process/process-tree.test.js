import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { Worker } from 'node:worker_threads';
import { processTree } from '../../app/process/process-tree.js';
import { temporaryFolder } from '../support/tv.js';

test('a tree holds children and grandchildren', async (t) => {
  const outer = `require('child_process').spawn('sleep', ['60']).on('spawn', () => console.log('up')); setInterval(() => {}, 1e9)`;
  const child = spawn(process.execPath, ['-e', outer], { stdio: ['ignore', 'pipe', 'inherit'] });
  const pid = Number(child.pid);
  t.after(() => processTree(pid).forEach((one) => process.kill(one, 'SIGKILL')));
  await once(child.stdout, 'data');
  const tree = processTree(pid);
  assert.equal(tree.length, 2);
  assert.equal(tree[0], pid);
  assert.deepEqual(processTree().slice(0, 1), [process.pid]);
  assert.ok(tree.every((one) => processTree().includes(one)));
});

test('a child that another thread has started is found', async (t) => {
  const code = `
    const { parentPort } = require('node:worker_threads');
    const child = require('node:child_process').spawn('sleep', ['60']);
    child.on('spawn', () => parentPort.postMessage(child.pid));`;
  const worker = new Worker(code, { eval: true });
  const [pid] = await once(worker, 'message');
  t.after(async () => {
    process.kill(pid, 'SIGKILL');
    await worker.terminate();
  });
  assert.ok(processTree().includes(pid));
});

test('without lists of children, parents are looked up', async () => {
  const proc = temporaryFolder();
  for (const [pid, parent] of [
    [1, 0],
    [10, 1],
    [11, 10],
    [12, 10],
    [13, 11],
    [20, 1],
  ]) {
    mkdirSync(join(proc, `${pid}/task/${pid}`), { recursive: true });
    writeFileSync(join(proc, `${pid}/stat`), `${pid} (a) b) S ${parent} 1 1 0`);
  }
  assert.deepEqual(processTree(10, proc), [10, 11, 12, 13]);
  assert.deepEqual(processTree(20, proc), [20]);
});

test('a process that has ended is a tree of its own', async () => {
  assert.deepEqual(processTree(5, temporaryFolder()), [5]);
});
