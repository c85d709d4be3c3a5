/** Tests the limit on log lines. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { LogLimiter } from '../../app/limits/log-limiter.js';

test('one line a minute for each kind of error, with the number of the others', () => {
  /** @type {[object, string][]} */
  const lines = [];
  const log = /** @type {any} */ ({
    error: (/** @type {object} */ fields, /** @type {string} */ message) =>
      lines.push([fields, message]),
  });
  const rare = new LogLimiter(log);
  const full = Object.assign(new Error('too many open files'), { code: 'EMFILE' });
  for (let i = 0; i < 1000; i++) rare.error(full, { url: '/' }, 'request failed', 1000);
  rare.error(new Error('another error'), {}, 'request failed', 1000);
  rare.error(full, {}, 'a connection was not accepted', 1000);
  rare.error(full, { url: '/' }, 'request failed', 60_999);
  assert.deepEqual(lines, [
    [{ url: '/', error: 'too many open files' }, 'request failed'],
    [{ error: 'another error' }, 'request failed'],
    [{ error: 'too many open files' }, 'a connection was not accepted'],
  ]);
  rare.error(full, { url: '/pad' }, 'request failed', 61_000);
  assert.deepEqual(lines[3], [
    { url: '/pad', error: 'too many open files', unlogged: 1000 },
    'request failed',
  ]);
  for (let i = 0; i < 2; i++) rare.error(undefined, {}, 'once'); // with the clock of the process
  assert.equal(lines.length, 5);
});
