import assert from 'node:assert/strict';
import test from 'node:test';
import { HashQueue } from '../../app/admin/hash-queue.js';
import { LoginAttempts } from '../../app/admin/login-attempts.js';

const rates = { one: { perSecond: 1 / 30, burst: 3 }, all: { perSecond: 1 / 2, burst: 10 } };

test('an address is locked after a few attempts, and other addresses are not', () => {
  let now = 0;
  const attempts = new LoginAttempts({ ...rates, clock: () => now });
  for (let i = 0; i < 3; i++) attempts.count('10.0.0.1');
  assert.throws(() => attempts.count('10.0.0.1'), {
    code: 'PITV_LOGIN_LOCKED',
    details: { retryAfterS: 30 },
  });
  assert.throws(() => attempts.count('::ffff:10.0.0.1'), { code: 'PITV_LOGIN_LOCKED' });
  attempts.count('10.0.0.2');
  now += 30_000;
  attempts.count('10.0.0.1');
  assert.throws(() => attempts.count('10.0.0.1'), { code: 'PITV_LOGIN_LOCKED' });
});

test('attempts from any number of addresses have a common limit, and few addresses are stored', () => {
  let now = 0;
  const attempts = new LoginAttempts({ ...rates, clock: () => now });
  let allowed = 0;
  for (let i = 0; i < 100_000; i++) {
    now += 10;
    try {
      attempts.count(`2001:db8:${(i >> 16).toString(16)}:${(i & 0xffff).toString(16)}::1`);
      allowed++;
    } catch (error) {
      assert.equal(Reflect.get(Object(error), 'code'), 'PITV_LOGIN_LOCKED');
    }
  }
  assert.ok(allowed <= 10 + 500 + 1, `${allowed} in 1000 s`);
  assert.ok(allowed >= 500);
  assert.ok(attempts.addressCount < 100, `${attempts.addressCount} addresses`);
});

test('right passwords do not count', () => {
  const attempts = new LoginAttempts({ ...rates, clock: () => 0 });
  for (let i = 0; i < 50; i++) attempts.count('10.0.0.1')();
});

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
  await assert.rejects(
    queue.run(async () => {
      throw new Error('on purpose');
    }),
    /on purpose/,
  );
  assert.equal(await queue.run(async () => 'next'), 'next');
  assert.equal(queue.length, 0);
});
