/** Tests the limit on log lines. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { LogLimiter } from '../../app/limits/log-limiter.js';

test('one line a minute for each kind of error, with the number of the others', () => {
  /** @type {[object, string][]} */
  const lines = [];
  let now = 1000;
  const log = /** @type {any} */ ({
    error: (/** @type {object} */ fields, /** @type {string} */ message) =>
      lines.push([fields, message]),
  });
  const rare = new LogLimiter(log, () => now);
  const full = Object.assign(new Error('too many open files'), { code: 'EMFILE' });
  for (let i = 0; i < 1000; i++) rare.error(full, { url: '/' }, 'request failed');
  rare.error(new Error('another error'), {}, 'request failed');
  rare.error(full, {}, 'a connection was not accepted');
  now = 60_999;
  rare.error(full, { url: '/' }, 'request failed');
  assert.deepEqual(lines, [
    [{ url: '/', error: 'too many open files' }, 'request failed'],
    [{ error: 'another error' }, 'request failed'],
    [{ error: 'too many open files' }, 'a connection was not accepted'],
  ]);
  now = 61_000;
  rare.error(full, { url: '/pad' }, 'request failed');
  assert.deepEqual(lines[3], [
    { url: '/pad', error: 'too many open files', unlogged: 1000 },
    'request failed',
  ]);
  const onOwnClock = new LogLimiter(log);
  for (let i = 0; i < 2; i++) onOwnClock.error(undefined, {}, 'once');
  assert.equal(lines.length, 5);
});
