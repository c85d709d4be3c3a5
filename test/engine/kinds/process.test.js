import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import os from 'node:os';
import { countSizes as sizes, engineTests, jobUrl, until } from '../helpers.js';

const test = engineTests('process');

/** @param {number} pid @param {string} file */
const proc = (pid, file) => readFileSync(`/proc/${pid}/${file}`, 'latin1');

test('a worker process has its name, its own priority, and no descriptor of its mailbox', async (engine) => {
  const other = engine.createMailbox(sizes);
  const niceness = Math.min(19, os.getPriority() + 7);
  const worker = await engine.start(jobUrl('count'), { name: 'bumper', sizes, niceness });
  assert.equal(proc(worker.pid, 'comm').trim(), 'pitv:bumper');
  const fields = proc(worker.pid, 'stat').split(') ')[1].split(' ');
  assert.equal(Number(fields[16]), niceness);
  const maps = proc(worker.pid, 'maps').match(/memfd:pitv/g) ?? [];
  assert.equal(maps.length, 1, 'it maps its own mailbox only');
  const fds = readdirSync(`/proc/${worker.pid}/fdinfo`).map(Number);
  assert.ok(!fds.includes(4), `open descriptors: ${fds}`);
  engine.freeMailbox(other);
});

let around = 0;
const testSpawn = engineTests('process', {
  spawn: (base) => ({
    execArgv: [...base.execArgv, '--random-seed=5'],
    env: { ...base.env, PITV_TEST_LAYOUT: 'alike' },
    around(spawn) {
      around++;
      return spawn();
    },
  }),
});
testSpawn('the option spawn changes how workers are spawned', async (engine) => {
  const worker = await engine.start(jobUrl('count'), { sizes });
  assert.equal(around, 1);
  assert.match(proc(worker.pid, 'environ'), /PITV_TEST_LAYOUT=alike/);
  assert.equal((await worker.stop()).reason, 'stopped');
});

test('workers ignore signals for the process group', async (engine) => {
  const worker = await engine.start(jobUrl('count'), { sizes });
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.kill(worker.pid, signal);
  const { tick } = worker.mailbox;
  await until(() => worker.mailbox.tick > tick + 5, 'it continues');
  assert.equal((await worker.stop()).reason, 'stopped');
});

const hangMs = 1000;
const testSuspended = engineTests('process', { hangMs });
testSuspended('workers do not count as hung after the main thread stood still', async (engine) => {
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
