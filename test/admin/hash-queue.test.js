import assert from 'node:assert/strict';
import test from 'node:test';
import { HashQueue } from '../../app/admin/hash-queue.js';

test('hashes run one at a time, and one beyond the queue is refused at once', async () => {
  const queue = new HashQueue(2);
  /** @type {(() => void)[]} */
  const finish = [];
  let running = 0;
  let maxRunning = 0;
  const work = () =>
    new Promise((/** @type {(value: string) => void} */ resolve) => {
      maxRunning = Math.max(maxRunning, ++running);
      finish.push(() => {
        running--;
        resolve('done');
      });
    });
  const queued = [queue.run(work), queue.run(work), queue.run(work)];
  await assert.rejects(queue.run(work), { code: 'PITV_LOGIN_BUSY' });
  for (let i = 0; i < 3; i++) {
    while (finish.length <= i) await new Promise((resolve) => setImmediate(resolve));
    finish[i]();
  }
  assert.deepEqual(await Promise.all(queued), ['done', 'done', 'done']);
  assert.equal(maxRunning, 1);
  const fail = () => Promise.reject(new Error('on purpose'));
  await assert.rejects(queue.run(fail), /on purpose/);
  assert.equal(await queue.run(async () => 'next'), 'next');
});

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
