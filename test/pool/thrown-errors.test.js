/** What programs read of the errors that tasks throw. */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { describeThrown, restoreThrown } from '../../app/pool/thrown-errors.js';
import { QUICK_ENGINES, poolFor } from './helpers.js';

/** @param {any} pool @param {string} kind @returns {Promise<any>} what the task rejects with */
const thrownBy = (pool, kind) =>
  pool.run(kind, { name: 'throwKind' }).catch((/** @type {unknown} */ error) => error);

for (const [name, engine] of Object.entries(QUICK_ENGINES)) {
  describe(name, () => {
    const pool = poolFor({ after }, engine);

    test('own properties arrive, except those that cannot be cloned', async () => {
      const error = await thrownBy(pool, 'http');
      assert.ok(error instanceof RangeError);
      assert.equal(error.name, 'HttpError');
      const { status, code, details, inner, callback } = /** @type {any} */ (error);
      assert.deepEqual(
        { status, code, details, callback },
        { status: 404, code: 17, details: { path: ['a'] }, callback: undefined },
      );
      assert.ok(inner instanceof TypeError);
      assert.equal(Reflect.get(inner, 'code'), 'INNER');
    });

    test('the errors of an AggregateError arrive', async () => {
      const error = await thrownBy(pool, 'any');
      assert.ok(error instanceof AggregateError);
      const [first, second] = error.errors;
      assert.equal(first.code, 'FIRST');
      assert.equal(second, 'second');
    });

    test('a DOMException keeps its class', async () => {
      const error = await thrownBy(pool, 'exception');
      assert.ok(error instanceof DOMException);
      assert.deepEqual([error.name, error.code], ['TimeoutError', DOMException.TIMEOUT_ERR]);
    });

    test('a cause that is no error arrives as it is', async () => {
      assert.deepEqual((await thrownBy(pool, 'cause')).cause, { reason: 1 });
    });

    test('a large or endless error is cut', async () => {
      const error = await thrownBy(pool, 'endless');
      assert.equal(error.small, 1);
      assert.equal(error.large, undefined);
      assert.ok(error.cause instanceof Error);
    });

    test('a getter that throws does no harm', async () => {
      assert.equal((await thrownBy(pool, 'getter')).message, 'with a getter');
      assert.equal((await thrownBy(pool, 'getNull')).message, 'null was thrown.');
    });
  });
}

test('any value of a broken worker becomes an error', () => {
  for (const value of [
    undefined,
    1,
    'text',
    [],
    { errors: 2 },
    { errors: [] },
    {
      errors: [
        1,
        { own: 1, errors: 2, cause: 3 },
        { cause: { error: 9 }, own: { e: { error: {} } } },
      ],
    },
    { errors: [{ class: 'constructor', name: {}, message: [], own: { message: 1 } }] },
  ]) {
    assert.ok(restoreThrown(value) instanceof Error);
  }
});

test('errors that refer to each other arrive once, up to a bound', () => {
  const error = new Error('0', { cause: new TypeError('cause') });
  Object(error.cause).cause = error;
  const { cause } = restoreThrown(describeThrown(error));
  assert.ok(cause instanceof TypeError && cause.cause instanceof Error);
  assert.equal(cause.cause.cause, cause);

  let last = error;
  for (let i = 1; i < 1000; i++) last = new Error(String(i), { cause: last });
  const messages = [];
  for (let at = /** @type {any} */ (restoreThrown(describeThrown(last))); at; at = at.cause)
    messages.push(at.message);
  assert.ok(messages.length > 50 && messages.length < 200);
  assert.equal(messages[50], '949');
});

test('a long message arrives', () => {
  const message = 'long '.repeat(50_000);
  assert.equal(restoreThrown(describeThrown(new Error(message))).message, message);
});
