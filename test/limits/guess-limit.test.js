import assert from 'node:assert/strict';
import test from 'node:test';
import { clientKey } from '../../app/limits/client-key.js';
import { GuessLimit } from '../../app/limits/guess-limit.js';

const OPTIONS = {
  one: { perSecond: 1 / 30, burst: 3 },
  all: { perSecond: 1 / 2, burst: 10 },
  maxKnown: 2,
  createError: (/** @type {boolean} */ ofAll, /** @type {number} */ retryAfterS) =>
    Object.assign(new Error('locked'), { ofAll, retryAfterS }),
};

/** A limit on a clock that the test sets. */
function withClock() {
  let now = 0;
  const limit = new GuessLimit({ ...OPTIONS, clock: () => now });
  /** Counts as many wrong guesses as are allowed. @param {string} client */
  const exhaust = (client) => {
    for (let i = 0; i < 100; i++) {
      try {
        limit.count(client);
      } catch (error) {
        return Reflect.get(Object(error), 'ofAll') ? 'all' : 'one';
      }
    }
  };
  return { limit, exhaust, pass: (/** @type {number} */ ms) => (now += ms) };
}

test('a client is locked after some wrong guesses, and others are not', () => {
  const { limit, pass } = withClock();
  for (let i = 0; i < 3; i++) limit.count('a');
  assert.throws(() => limit.count('a'), { ofAll: false, retryAfterS: 30 });
  limit.count('b');
  pass(30_000);
  limit.count('a');
  assert.throws(() => limit.count('a'), { ofAll: false });
});

test('right guesses do not count', () => {
  const { limit } = withClock();
  for (let i = 0; i < 50; i++) limit.count('a')();
});

test('any number of clients have a common limit, and few of them are stored', () => {
  const { limit, pass } = withClock();
  let allowed = 0;
  for (let i = 0; i < 100_000; i++) {
    pass(10);
    try {
      limit.count(`client ${i}`);
      allowed++;
    } catch (error) {
      assert.equal(Reflect.get(Object(error), 'ofAll'), true);
    }
  }
  assert.ok(allowed >= 500 && allowed <= 10 + 500 + 1, `${allowed} in 1000 s`);
  assert.ok(limit.size < 100, `${limit.size} clients`);
});

test('the common limit does not lock known clients and this machine, and they do not use it up', () => {
  const { limit, exhaust } = withClock();
  limit.remember('known');
  for (const client of ['known', '127.0.0.1', clientKey('::1')]) {
    assert.equal(exhaust(client), 'one', 'it has its own limit');
  }
  for (let i = 0; i < 10; i++) limit.count(`client ${i}`);
  assert.throws(() => limit.count('another'), { ofAll: true, retryAfterS: 2 });
  assert.equal(exhaust('known'), 'one');
  assert.equal(exhaust('127.0.0.1'), 'one');
  limit.remember('newly known');
  limit.count('newly known')();
  assert.throws(() => limit.count('another'), { ofAll: true });
});

test('without a clock of its own, a limit follows that of the process', () => {
  const limit = new GuessLimit(OPTIONS);
  for (let i = 0; i < 3; i++) limit.count('a');
  assert.throws(() => limit.count('a'), { retryAfterS: 30 });
});

test('a bounded number of clients is known, the most recent ones', () => {
  const { limit } = withClock();
  for (const client of ['a', 'b', 'a', 'c']) limit.remember(client);
  const clients = ['a', 'b', 'c', '127.0.0.1', '127.0.0.2'];
  const known = clients.filter((client) => limit.isKnown(client));
  assert.deepEqual(known, ['a', 'c', '127.0.0.1']);
});
