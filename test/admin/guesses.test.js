import assert from 'node:assert/strict';
import test from 'node:test';
import { Guesses } from '../../app/admin/guesses.js';
import { HashQueue } from '../../app/admin/hash-queue.js';

const rates = { one: { perSecond: 1 / 30, burst: 3 }, all: { perSecond: 1 / 2, burst: 10 } };

test('an address may guess a few times, then has to wait; others may go on', () => {
  let now = 0;
  const guesses = new Guesses({ ...rates, clock: () => now });
  for (let i = 0; i < 3; i++) guesses.take('10.0.0.1');
  assert.throws(() => guesses.take('10.0.0.1'), {
    code: 'PITV_LOGIN_LOCKED',
    details: { retryAfterS: 30 },
  });
  assert.throws(() => guesses.take('::ffff:10.0.0.1'), { code: 'PITV_LOGIN_LOCKED' });
  guesses.take('10.0.0.2');
  now += 30_000;
  guesses.take('10.0.0.1');
  assert.throws(() => guesses.take('10.0.0.1'), { code: 'PITV_LOGIN_LOCKED' });
});

test('all together may guess so often, from however many addresses, and few are remembered', () => {
  let now = 0;
  const guesses = new Guesses({ ...rates, clock: () => now });
  let looked = 0;
  for (let i = 0; i < 100_000; i++) {
    now += 10;
    try {
      guesses.take(`2001:db8:${(i >> 16).toString(16)}:${(i & 0xffff).toString(16)}::1`);
      looked++;
    } catch (error) {
      assert.equal(Reflect.get(Object(error), 'code'), 'PITV_LOGIN_LOCKED');
    }
  }
  assert.ok(looked <= 10 + 500 + 1, `${looked} in 1000 s`);
  assert.ok(looked >= 500);
  assert.ok(guesses.addressesKnown < 100, `${guesses.addressesKnown} remembered`);
});

test('what was right does not count', () => {
  const guesses = new Guesses({ ...rates, clock: () => 0 });
  for (let i = 0; i < 50; i++) guesses.take('10.0.0.1')();
});

test('one hash at a time; who comes when many wait is sent away at once', async () => {
  const queue = new HashQueue(2);
  /** @type {(() => void)[]} */
  const finish = [];
  let running = 0;
  let most = 0;
  const work = () =>
    new Promise((/** @type {(value: string) => void} */ resolve) => {
      most = Math.max(most, ++running);
      finish.push(() => {
        running--;
        resolve('done');
      });
    });
  const under = [queue.run(work), queue.run(work), queue.run(work)];
  await assert.rejects(queue.run(work), { code: 'PITV_LOGIN_BUSY' });
  for (let i = 0; i < 3; i++) {
    while (finish.length <= i) await new Promise((resolve) => setImmediate(resolve));
    finish[i]();
  }
  assert.deepEqual(await Promise.all(under), ['done', 'done', 'done']);
  assert.equal(most, 1);
  await assert.rejects(
    queue.run(async () => {
      throw new Error('as told');
    }),
    /as told/,
  );
  assert.equal(await queue.run(async () => 'goes on'), 'goes on');
  assert.equal(queue.length, 0);
});
