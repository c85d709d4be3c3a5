/** Wrong options, and failures of one child. Runs on every Node.js by nodes.long.test.js. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { closeSync, openSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { createZygote } from '../../../app/engine/zygote/index.js';
import { ask, moduleOf, untidyZygote, zygoteOf } from './helpers.js';

/** @type {any[]} options that fork() refuses, and the message */
const WRONG = [
  [{ name: 42 }, /name must be a text/],
  [{ cpus: ['a'] }, /cpus must be an array of 1 to 64 elements, each a whole number from 0 to 63/],
  [{ niceness: 99 }, /niceness must be a whole number from -20 to 19, not 99/],
  [{ memoryMb: -1 }, /memoryMb/],
  [{ stdio: 'bogus' }, /stdio must be 'inherit', 'ignore', 'pipe' or an open file descriptor/],
  [{ stdio: ['pipe', 'pipe'] }, /stdio/],
  [{ stdio: 999 }, /stdio/],
  [{ descriptors: [999] }, /descriptors must be .* an open file descriptor, not \[999\]/],
  [{ descriptors: [0.5] }, /descriptors/],
  [{ descriptors: Array.from({ length: 13 }, () => 0) }, /descriptors must be an array of 0 to 12/],
  [{ maxMessageBytes: 1 }, /maxMessageBytes/],
  [{ maxWorker: 1 }, /there is no option "maxWorker"/],
];

test('fork() names a wrong option; the zygote is unchanged', async (t) => {
  const zygote = await untidyZygote(t);
  const { pid } = zygote;
  await ask(zygote, 'identity');
  const before = readdirSync('/proc/self/fd').length;
  let deaths = 0;
  zygote.on('died', () => deaths++);
  for (const [options, message] of WRONG) {
    await assert.rejects(zygote.fork({ probe: 'identity' }, options), {
      code: 'PITV_OPTION_INVALID',
      message,
    });
  }
  assert.deepEqual(zygote.children, []);
  assert.equal((await ask(zygote, 'identity')).ppid, pid);
  assert.deepEqual([deaths, zygote.pid], [0, pid]);
  assert.equal(readdirSync('/proc/self/fd').length, before, 'no descriptor is left open');
});

test('a descriptor that is closed too early fails only its own request', async (t) => {
  const module = moduleOf('export default (_, worker) => worker.send(process.ppid)');
  const zygote = await zygoteOf(t, module);
  const { pid } = zygote;
  // The last of many, because files opened meanwhile get lower numbers.
  const files = Array.from({ length: 40 }, () => openSync('/dev/null', 'r'));
  const closed = new Promise((resolve) => setImmediate(resolve));
  const late = zygote.begin(undefined, { descriptors: files.slice(-1) }, closed);
  for (const file of files) closeSync(file);
  await assert.rejects(late.started, {
    code: 'PITV_ZYGOTE_FORK',
    message: /Bad file descriptor/,
  });
  const child = await zygote.fork();
  assert.deepEqual(await once(child, 'message'), [pid]);
  assert.equal(zygote.pid, pid);
});

test('createZygote() refuses wrong options before it starts a process', async () => {
  /** @type {[any, RegExp][]} */
  const wrong = [
    [{ name: 42 }, /name/],
    [{ spares: 9 }, /spares must be .*0 to 8/],
    [{ flags: '--expose-gc' }, /flags/],
    [{ env: 1 }, /env/],
    [{ stdio: 'inherit' }, /stdio must be an array of 3/],
    [{ around: {} }, /around must be a function/],
    [{ arguments: 1 }, /there is no option "arguments"/],
  ];
  for (const [options, message] of wrong) {
    await assert.rejects(createZygote('data:text/javascript,', options), {
      code: 'PITV_OPTION_INVALID',
      message,
    });
  }
  for (const url of ['./module.js', undefined, 5]) {
    await assert.rejects(createZygote(/** @type {any} */ (url)), {
      code: 'PITV_OPTION_INVALID',
      message: /moduleUrl must be an absolute URL/,
    });
  }
});

test('a child that announces a message over the limit is killed', async (t) => {
  const module = moduleOf(`export default (bytes, worker) => {
    worker.on('message', () => {});
    worker.send(new Uint8Array(bytes));
  }`);
  const zygote = await zygoteOf(t, module);
  const { pid } = zygote;
  const child = await zygote.fork(300_000, { maxMessageBytes: 200_000, name: 'loud' });
  const { signal, error } = await child.exited;
  assert.equal(signal, 'SIGKILL');
  assert.equal(Reflect.get(Object(error), 'code'), 'PITV_ZYGOTE_MESSAGE');
  assert.match(String(error?.message), /it has 300\d\d\d bytes, more than 200000/);
  const modest = await zygote.fork(100_000, { maxMessageBytes: 200_000 });
  assert.equal((await once(modest, 'message'))[0].length, 100_000);
  assert.equal(zygote.pid, pid);
});

test('an error that ends a child reaches the main process with its message, code and stack', async (t) => {
  const module = moduleOf(`export default async function play(kind) {
    if (kind === 'later') setImmediate(() => missing());
    else throw Object.assign(new RangeError('out of the field'), { code: 'GAME_FIELD' });
  }`);
  const zygote = await zygoteOf(t, module);
  const { code, error } = await (await zygote.fork('now')).exited;
  assert.equal(code, 1);
  assert.ok(error instanceof RangeError);
  assert.equal(error.message, 'out of the field');
  assert.equal(Reflect.get(error, 'code'), 'GAME_FIELD');
  assert.match(String(error.stack), /RangeError: out of the field\n +at (Module\.)?play \(/);
  const later = await (await zygote.fork('later')).exited;
  assert.match(String(later.error), /ReferenceError: missing is not defined/);
});
