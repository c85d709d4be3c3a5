import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { countSizes as sizes, engineFor, exitOf, jobUrl, until } from '../helpers.js';

/** @param {number} pid @param {string} file */
const proc = (pid, file) => readFileSync(`/proc/${pid}/${file}`, 'latin1');

test('a worker process is seen by its name and runs at its own priority', async (t) => {
  const engine = await engineFor(t, 'process');
  if (!engine) return;
  const worker = await engine.start(jobUrl('count'), { name: 'bumper', sizes, niceness: 7 });
  assert.equal(proc(worker.pid, 'comm').trim(), 'pitv:bumper');
  const fields = proc(worker.pid, 'stat').split(') ')[1].split(' ');
  assert.equal(Number(fields[16]), 7);
});

test('a worker inherits the mailbox and nothing else of ours, and closes even that', async (t) => {
  const engine = await engineFor(t, 'process');
  if (!engine) return;
  const strange = engine.createMailbox(sizes);
  const worker = await engine.start(jobUrl('count'), { sizes });
  const maps = proc(worker.pid, 'maps').match(/memfd:pitv/g) ?? [];
  assert.equal(maps.length, 1);
  const fds = readdirSync(`/proc/${worker.pid}/fdinfo`).map(Number);
  assert.ok(!fds.includes(4), `open descriptors: ${fds}`);
  engine.freeMailbox(strange);
});

test('how workers are spawned can be changed, in one place', async (t) => {
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

test('signals for the whole group leave the workers to the main process', async (t) => {
  const engine = await engineFor(t, 'process');
  if (!engine) return;
  const worker = await engine.start(jobUrl('count'), { sizes });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.kill(worker.pid, signal);
  const { tick } = worker.mailbox;
  await until(() => worker.mailbox.tick > tick + 5, 'it goes on');
  assert.equal((await worker.stop()).reason, 'stopped');
});

test('a worker that was halted (SIGSTOP) counts as hung', async (t) => {
  const engine = await engineFor(t, 'process', { hangMs: 200 });
  if (!engine) return;
  const worker = await engine.start(jobUrl('count'), { sizes });
  process.kill(worker.pid, 'SIGSTOP');
  assert.equal((await exitOf(worker)).reason, 'hung');
});

test('a main thread that stood still does not take its workers for hung', async (t) => {
  const hangMs = 1000;
  const engine = await engineFor(t, 'process', { hangMs });
  if (!engine) return;
  const worker = await engine.start(jobUrl('count'), { sizes });
  await until(() => worker.mailbox.tick > 0, 'it ticks');
  // As if the machine had been suspended: both stand still.
  process.kill(worker.pid, 'SIGSTOP');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2 * hangMs);
  await new Promise((resolve) => setImmediate(resolve));
  process.kill(worker.pid, 'SIGCONT');
  const { tick } = worker.mailbox;
  await until(() => worker.mailbox.tick > tick + 2, 'it goes on');
  assert.equal((await worker.stop()).reason, 'stopped');
});
