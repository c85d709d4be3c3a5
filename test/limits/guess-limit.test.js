import assert from 'node:assert/strict';
import test, { beforeEach } from 'node:test';
import { clientKey } from '../../app/limits/client-key.js';
import { GuessLimit } from '../../app/limits/guess-limit.js';

const OPTIONS = {
  one: { perSecond: 1 / 30, burst: 3 },
  all: { perSecond: 1 / 2, burst: 10 },
  maxKnown: 2,
  createError: (/** @type {boolean} */ ofAll, /** @type {number} */ retryAfterS) =>
    Object.assign(new Error('locked'), { ofAll, retryAfterS }),
};

/** @type {GuessLimit} */
let limit;
beforeEach(() => {
  limit = new GuessLimit(OPTIONS);
});

/** Counts as many wrong guesses as are allowed. @param {string} client */
function exhaust(client) {
  for (let i = 0; i < 100; i++) {
    try {
      limit.count(client, 0);
    } catch (error) {
      return Reflect.get(Object(error), 'ofAll') ? 'all' : 'one';
    }
  }
}

test('a client is locked after some wrong guesses, and others are not', () => {
  for (let i = 0; i < 3; i++) limit.count('a', 0);
  assert.throws(() => limit.count('a', 0), { ofAll: false, retryAfterS: 30 });
  limit.count('b', 0);
  limit.count('a', 30_000);
  assert.throws(() => limit.count('a', 30_000), { ofAll: false });
});

test('right guesses do not count', () => {
  for (let i = 0; i < 50; i++) limit.count('a')();
});

test('any number of clients have a common limit, and few of them are stored', () => {
  let allowed = 0;
  for (let i = 0; i < 100_000; i++) {
    try {
      limit.count(`client ${i}`, 10 * i);
      allowed++;
    } catch (error) {
      assert.equal(Reflect.get(Object(error), 'ofAll'), true);
    }
  }
  assert.ok(allowed >= 500 && allowed <= 10 + 500 + 1, `${allowed} in 1000 s`);
  assert.ok(limit.size < 100, `${limit.size} clients`);
});

test('the common limit does not lock known clients and this machine, and they do not use it up', () => {
  limit.remember('known');
  for (const client of ['known', '127.0.0.1', clientKey('::1')]) {
    assert.equal(exhaust(client), 'one', 'it has its own limit');
  }
  for (let i = 0; i < 10; i++) limit.count(`client ${i}`, 0);
  assert.throws(() => limit.count('another', 0), { ofAll: true, retryAfterS: 2 });
  assert.equal(exhaust('known'), 'one');
  assert.equal(exhaust('127.0.0.1'), 'one');
  limit.remember('newly known');
  limit.count('newly known', 0)();
  assert.throws(() => limit.count('another', 0), { ofAll: true });
});

test('a bounded number of clients is known, the most recent ones', () => {
  for (const client of ['a', 'b', 'a', 'c']) limit.remember(client);
  const clients = ['a', 'b', 'c', '127.0.0.1', '127.0.0.2'];
  const known = clients.filter((client) => limit.isKnown(client));
  assert.deepEqual(known, ['a', 'c', '127.0.0.1']);
});
