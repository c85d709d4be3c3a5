import assert from 'node:assert/strict';
import test from 'node:test';
import { HashQueue } from '../../app/admin/hash-queue.js';

test('hashes of known clients have places of their own and run before others', async () => {
  const queue = new HashQueue(1);
  /** @type {string[]} */
  const order = [];
  let finish = () => {};
  const running = queue.run(() => new Promise((resolve) => (finish = () => resolve(undefined))));
  const run = (/** @type {string} */ name, isKnown = false) =>
    queue.run(async () => void order.push(name), isKnown);
  const other = run('other');
  await assert.rejects(run('beyond'), { code: 'PITV_LOGIN_BUSY' });
  const known = run('known', true);
  await assert.rejects(run('beyond', true), { code: 'PITV_LOGIN_BUSY' });
  finish();
  await Promise.all([running, other, known]);
  assert.deepEqual(order, ['known', 'other']);
});
