/** What arrives is what structuredClone() returns. What it refuses is refused before anything is changed. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, describe, test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads';
import fc from 'fast-check';
import { Encoder, FORMAT, decode } from '../../app/pool/transport/codec.js';
import { extent } from '../support/extent.js';
import { QUICK_ENGINES, poolFor, readyPoolFor } from './helpers.js';
import { assertSame, build, plan } from './random-values.js';

/** How many random values are written and read, and how many more go through pools: PITV_RANDOM_VALUES of each. */
const { PITV_RANDOM_VALUES } = process.env;
const VALUES = Number(PITV_RANDOM_VALUES ?? extent(1000, 60_000));
const VALUES_OF_ENGINE = PITV_RANDOM_VALUES
  ? Math.ceil(VALUES / Object.keys(QUICK_ENGINES).length)
  : extent(50, 1000);
const DAMAGED_BODIES = extent(1000, 20_000);

/** @typedef {import('./random-values.js').Plan} Plan */

/**
 * Writes a value and reads it.
 * @param {Encoder} encoder @param {any} value @param {any[]} transfers @param {any} [port]
 */
function send(encoder, value, transfers, port) {
  encoder.prepare(value, transfers);
  const { format, first, second, bytes } = encoder;
  const body = new Uint8Array(bytes);
  encoder.write(body, 0);
  const parts = format >= FORMAT.parts ? receiveMessageOnPort(port)?.message : undefined;
  return decode(format, first, second, body, undefined, parts);
}

/** Builds the value twice, at the same place, so that the stacks of errors are equal. @param {Plan} random */
const buildTwice = (random) => [0, 1].map(() => build(random));

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc');

/** @param {ArrayBuffer[]} buffers */
const lengths = (buffers) => buffers.map(({ byteLength }) => byteLength);

const { port1, port2 } = new MessageChannel();
const elsewhere = new MessageChannel().port1;
after(() => [port1, elsewhere].forEach((port) => port.close()));
const shared = new Encoder();
const encoders = {
  'in shared memory': { encoder: shared, port: undefined },
  'with a port': { encoder: new Encoder(undefined, port1), port: port2 },
};
for (const [name, { encoder, port }] of Object.entries(encoders)) {
  test(`${name}: random values arrive as structured clones`, () => {
    const property = fc.property(plan, (random) => {
      const [sent, other] = buildTwice(random);
      const actual = send(encoder, sent.value, sent.transfers, port);
      const expected = structuredClone(other.value, { transfer: other.transfers });
      assertSame(actual, expected);
      assert.deepEqual(lengths(sent.buffers), lengths(other.buffers));
    });
    fc.assert(property, { numRuns: VALUES / 2 });
  });
}

/** What postMessage() refuses. @type {Record<string, (parts: ReturnType<typeof build>) => any>} */
const WRONG = {
  'a function': ({ value }) => value.push(() => {}),
  'a symbol': ({ value }) => value.push(Symbol('wrong')),
  'a Proxy': ({ value }) => value.push(new Proxy({}, {})),
  'a Proxy of a typed array': ({ value }) => value.push(new Proxy(new Uint8Array(1), {})),
  'a Promise': ({ value }) => value.push({ deep: Promise.resolve() }),
  'a WeakMap': ({ value }) => value.push([new WeakMap()]),
  'an iterator': ({ value }) => value.push([].values()),
  'a detached buffer': ({ value }) => {
    const buffer = new ArrayBuffer(4);
    structuredClone(buffer, { transfer: [buffer] });
    value.push(buffer);
  },
  'a getter that throws': ({ value }) =>
    value.push({
      get broken() {
        throw new RangeError('getter');
      },
    }),
  'a view in the list': ({ transfers }) => transfers.push(/** @type {any} */ (new Uint8Array(4))),
  'a buffer twice in the list': ({ transfers, buffers }) => transfers.push(buffers[0], buffers[0]),
  'a number in the list': ({ transfers }) => transfers.push(/** @type {any} */ (1)),
};
for (const [what, spoil] of Object.entries(WRONG)) {
  test(`${what} is refused as by postMessage(), and nothing is moved`, () => {
    const numRuns = Math.ceil(VALUES / 100);
    for (const { encoder, port } of Object.values(encoders)) {
      const property = fc.property(plan, (random) => {
        const [sent, other] = buildTwice({ ...random, moved: [0, 1] });
        const before = lengths(sent.buffers);
        for (const parts of [sent, other]) {
          parts.value.push(new Uint8Array(100));
          spoil(parts);
        }
        const errors = [
          () => send(encoder, sent.value, sent.transfers, port),
          () => elsewhere.postMessage(other.value, other.transfers),
        ].map((action) => {
          try {
            return void action();
          } catch (error) {
            return /** @type {Error} */ (error).name;
          }
        });
        assert.equal(errors[0], errors[1]);
        assert.ok(errors[0]);
        assert.deepEqual(lengths(sent.buffers), before);
        assert.equal(port && receiveMessageOnPort(port), undefined);
        assert.deepEqual(send(encoder, Uint8Array.of(1), [], port), Uint8Array.of(1));
      });
      fc.assert(property, { numRuns });
    }
  });
}

test('a getter may have another value encoded', () => {
  const value = {
    first: [1],
    get inner() {
      return send(shared, { inner: 'value', list: [1, 2] }, []);
    },
    last: 'end',
  };
  const expected = { first: [1], inner: { inner: 'value', list: [1, 2] }, last: 'end' };
  assert.deepEqual(send(shared, value, []), expected);
});

test('a class that extends a typed array may have a tag of its own', () => {
  class Vector extends Float32Array {}
  Object.defineProperty(Vector.prototype, Symbol.toStringTag, { value: 'Vector' });
  const expected = Float32Array.of(1, 2);
  assert.deepEqual(send(shared, new Vector([1, 2]), []), expected);
  assert.deepEqual(send(shared, [new Vector([1, 2])], []), [expected]);
});

test('a sparse array arrives', () => {
  const sparse = /** @type {any[]} */ (Object.assign([], { 100_000: 'last', named: 1 }));
  sparse[9] = { sparse };
  const [array, again] = send(shared, [sparse, sparse], []);
  assert.equal(again, array);
  assert.deepEqual(Object.entries(array), [
    ['9', { sparse: array }],
    ['100000', 'last'],
    ['named', 1],
  ]);
  assert.equal(array.length, 100_001);
});

test('an invalid date and a cyclic cause arrive', () => {
  const error = new TypeError('cyclic');
  error.cause = { error, date: new Date(NaN) };
  const copy = send(shared, error, []);
  assert.ok(copy instanceof TypeError);
  assert.equal(Reflect.get(Object(copy.cause), 'error'), copy);
  assert.equal(Number(Reflect.get(Object(copy.cause), 'date')), NaN);
});

test('values that are nested more deeply than structuredClone() takes arrive', () => {
  class Node {
    constructor(/** @type {any} */ deep) {
      this.deep = deep;
    }
  }
  let deep = /** @type {any} */ (null);
  for (let i = 0; i < 25_000; i++) deep = new Node(i % 2 ? [deep] : { deep });
  let depth = 0;
  for (let at = send(shared, deep, []); at; depth++) at = at.deep ?? at[0];
  assert.equal(depth, 50_000);
});

test('damaged bodies are refused by a PitvError, or read as another value', () => {
  const property = fc.property(
    plan,
    fc.nat(),
    fc.nat(255),
    fc.nat(40),
    (random, at, byte, less) => {
      shared.prepare(build(random).value);
      const { format, first, second, bytes } = shared;
      const body = new Uint8Array(bytes);
      shared.write(body, 0);
      body[at % bytes] = byte;
      try {
        decode(format, first, second, body.slice(0, at % 3 ? bytes : Math.max(0, bytes - less)));
      } catch (error) {
        assert.equal(Reflect.get(Object(error), 'code'), 'PITV_POOL_MESSAGE');
      }
    },
  );
  fc.assert(property, { numRuns: DAMAGED_BODIES });
});

for (const [name, engine] of Object.entries(QUICK_ENGINES)) {
  describe(name, () => {
    const isThread = engine.engine === 'thread';
    const pool = poolFor({ after }, engine);

    test('random values arrive as structured clones', async () => {
      const property = fc.asyncProperty(plan, async (random) => {
        const [sent, other] = buildTwice(random);
        const actual = await pool.run(sent.value, { transferList: sent.transfers });
        // The way back is a clone of a clone.
        const expected = structuredClone(
          structuredClone(other.value, { transfer: other.transfers }),
        );
        assertSame(actual, expected);
        assert.deepEqual(lengths(sent.buffers), lengths(other.buffers));
      });
      await fc.assert(property, { numRuns: VALUES_OF_ENGINE });
    });

    test('a small Buffer in transferList or move() does no harm to other Buffers', async () => {
      const mine = Buffer.from('hello');
      const other = Buffer.from('other');
      let refused;
      try {
        structuredClone(mine, { transfer: [mine.buffer] });
      } catch (error) {
        refused = { name: /** @type {Error} */ (error).name };
      }
      for (const run of [
        () => pool.run(mine, { transferList: [mine.buffer] }),
        () => pool.run('hello', { name: 'moveSmall' }),
      ]) {
        if (refused) await assert.rejects(run, refused);
        else assert.equal(Buffer.from(await run()).toString(), 'hello');
      }
      assert.equal(`${mine} ${other} ${Buffer.from('new')}`, 'hello other new');
      const hash = await pool.run('text', { name: 'hashOf' });
      assert.equal(hash, createHash('sha256').update('text').digest('hex'));
    });

    test('what belongs to one thread is carried by threads, and refused by name otherwise', async () => {
      const { port1 } = new MessageChannel();
      const module = new WebAssembly.Module(Uint8Array.of(0, 97, 115, 109, 1, 0, 0, 0));
      const values = [new SharedArrayBuffer(4), module, new Blob(['text'])];
      for (const value of values) {
        const run = pool.run({ value });
        if (isThread) assert.equal((await run).value.constructor, value.constructor);
        else
          await assert.rejects(run, {
            name: 'DataCloneError',
            message: `#<${value.constructor.name}> could not be cloned.`,
          });
      }
      const port = pool.run({ port1 }, { name: 'keys', transferList: [port1] });
      if (isThread) assert.deepEqual(await port, ['port1']);
      else await assert.rejects(port, { name: 'DataCloneError', message: /MessagePort/ });
    });

    test('a long task that is skipped leaves no part for the next one', async () => {
      if (!isThread) return;
      const { pool } = await readyPoolFor({ after }, engine);
      const abort = new AbortController();
      const words = new Int32Array(new SharedArrayBuffer(8));
      const busy = pool.run(words, { name: 'wait' });
      const long = [new Uint8Array(5 << 20), new SharedArrayBuffer(4)];
      const ahead = pool.run(long, { signal: abort.signal });
      const next = pool.run(new SharedArrayBuffer(8));
      abort.abort();
      await assert.rejects(ahead, { name: 'AbortError' });
      Atomics.store(words, 0, 1);
      await busy;
      assert.equal((await next).byteLength, 8);
    });

    test('a pool keeps neither a long task nor its result', async () => {
      const length = 3 << 20;
      const run = async () => {
        const bytes = new Uint8Array(length);
        const { echo } = await pool.run({ echo: bytes });
        return [bytes, echo, await pool.run(bytes)].map(({ buffer }) => new WeakRef(buffer));
      };
      const references = await run();
      await turn();
      collectGarbage();
      assert.deepEqual(
        references.map((reference) => reference.deref()),
        [undefined, undefined, undefined],
      );
    });

    test('a task that moves something runs once', async () => {
      const bytes = new Uint8Array(4);
      const options = { retries: 1, transferList: [bytes.buffer] };
      await assert.rejects(pool.run(bytes, options), { code: 'PITV_OPTION_INVALID' });
      assert.equal(bytes.length, 4);
      const retrying = poolFor({ after }, { ...engine, retries: 2 });
      const moved = retrying.run(bytes, { name: 'exit', transferList: [bytes.buffer] });
      await assert.rejects(moved, { code: 'PITV_TASK_EXITED' });
    });
  });
}
