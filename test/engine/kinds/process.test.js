import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import os from 'node:os';
import { test } from 'node:test';
import { countSizes as sizes, engineFor, exitOf, jobUrl, until } from '../helpers.js';

/** @param {number} pid @param {string} file */
const proc = (pid, file) => readFileSync(`/proc/${pid}/${file}`, 'latin1');

test('a worker process has its name and its own priority', async (t) => {
  const engine = await engineFor(t, 'process');
  if (!engine) return;
  const niceness = Math.min(19, os.getPriority() + 7);
  const worker = await engine.start(jobUrl('count'), { name: 'bumper', sizes, niceness });
  assert.equal(proc(worker.pid, 'comm').trim(), 'pitv:bumper');
  const fields = proc(worker.pid, 'stat').split(') ')[1].split(' ');
  assert.equal(Number(fields[16]), niceness);
});

test('a worker inherits only the descriptor of its mailbox, and closes it', async (t) => {
  const engine = await engineFor(t, 'process');
  if (!engine) return;
  const other = engine.createMailbox(sizes);
  const worker = await engine.start(jobUrl('count'), { sizes });
  const maps = proc(worker.pid, 'maps').match(/memfd:pitv/g) ?? [];
  assert.equal(maps.length, 1);
  const fds = readdirSync(`/proc/${worker.pid}/fdinfo`).map(Number);
  assert.ok(!fds.includes(4), `open descriptors: ${fds}`);
  engine.freeMailbox(other);
});

test('the option spawn changes how workers are spawned', async (t) => {
  let around = 0;
  const engine = await engineFor(t, 'process', {
    spawn: (base) => ({
      execArgv: [...base.execArgv, '--random-seed=5'],
      env: { ...base.env, PITV_TEST_LAYOUT: 'alike' },
      around(spawn) {
        around++;
        return spawn();
      },
    }),
  });
  if (!engine) return;
  const worker = await engine.start(jobUrl('count'), { sizes });
  assert.equal(around, 1);
  assert.match(proc(worker.pid, 'environ'), /PITV_TEST_LAYOUT=alike/);
  assert.ok(worker.mailbox.tick >= 0);
  assert.equal((await worker.stop()).reason, 'stopped');
});

test('workers ignore signals for the process group', async (t) => {
  const engine = await engineFor(t, 'process');
  if (!engine) return;
  const worker = await engine.start(jobUrl('count'), { sizes });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.kill(worker.pid, signal);
  const { tick } = worker.mailbox;
  await until(() => worker.mailbox.tick > tick + 5, 'it continues');
  assert.equal((await worker.stop()).reason, 'stopped');
});

test('a stopped worker (SIGSTOP) counts as hung', async (t) => {
  const engine = await engineFor(t, 'process', { hangMs: 200 });
  if (!engine) return;
  const worker = await engine.start(jobUrl('count'), { sizes });
  process.kill(worker.pid, 'SIGSTOP');
  assert.equal((await exitOf(worker)).reason, 'hung');
});

test('workers do not count as hung after the main thread stood still', async (t) => {
  const hangMs = 1000;
  const engine = await engineFor(t, 'process', { hangMs });
  if (!engine) return;
  const worker = await engine.start(jobUrl('count'), { sizes });
  await until(() => worker.mailbox.tick > 0, 'it ticks');
  // Both stand still, as in a suspended machine.
  process.kill(worker.pid, 'SIGSTOP');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2 * hangMs);
  await new Promise((resolve) => setImmediate(resolve));
  process.kill(worker.pid, 'SIGCONT');
  const { tick } = worker.mailbox;
  await until(() => worker.mailbox.tick > tick + 2, 'it continues');
  assert.equal((await worker.stop()).reason, 'stopped');
});
