/** What warm() does in the engine zygote. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sessionOf } from '../support/serve.js';
import { moduleUrl, poolFor } from './helpers.js';

const filename = moduleUrl('warm.js');

test('warm() runs once, in the zygote, for all workers of all pools of the module', async (t) => {
  const pools = [1, 2].map(() => poolFor(t, { engine: 'zygote', filename }));
  const answers = await Promise.all(pools.map((pool) => pool.run(0)));
  assert.notEqual(answers[0].pid, answers[1].pid);
  assert.ok(answers[0].warmedBy > 0 && answers[0].warmedBy !== answers[0].pid);
  assert.equal(answers[0].warmedBy, answers[1].warmedBy);
  // Across sessions, program and worker would wait for each other on a busy machine.
  assert.equal(sessionOf(answers[0].pid), sessionOf(process.pid));
});

test('pools with other options have a zygote of their own', async (t) => {
  const pools = [1, 2].map((workerData) => poolFor(t, { engine: 'zygote', filename, workerData }));
  const [one, other] = await Promise.all(pools.map((pool) => pool.run(0)));
  assert.notEqual(one.warmedBy, other.warmedBy);
});

test('warm() is for the engine zygote only', async (t) => {
  for (const engine of /** @type {const} */ (['thread', 'process'])) {
    assert.equal((await poolFor(t, { engine, filename }).run(0)).warmedBy, 0);
  }
});

test('tasks reject while warm() fails, and the pool can be closed', async (t) => {
  const filename =
    'data:text/javascript,export function warm() { throw new TypeError("cold") }; export default () => {}';
  const pool = poolFor(t, { engine: 'zygote', filename });
  pool.on('error', () => {}); // of the worker that started without a task
  await assert.rejects(pool.run(0), { code: 'PITV_ZYGOTE_FAILED', message: /cold/ });
  await pool.destroy();
});
