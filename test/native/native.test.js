import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  readFileSync,
  readSync,
  readdirSync,
  writeSync,
} from 'node:fs';
import { posix } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { native } from '../../app/native/native.js';
import { until } from '../support/tv.js';

const { createMemory, mapMemory, unmapMemory, dieWithParent, setLimit } = native();
const PAGE = 4096;
const ADDON = new URL('../../app/native/native.js', import.meta.url);

const mappings = () => readFileSync('/proc/self/maps', 'latin1').match(/memfd:pitv/g)?.length ?? 0;

/** Runs code in a separate process, which may crash. @param {string} code @param {string[]} flags */
function run(code, flags = []) {
  const source = `import { native } from '${ADDON}'; ${code}`;
  return spawnSync(process.execPath, [...flags, '--input-type=module', '-e', source], {
    encoding: 'utf8',
  });
}

test('two mappings of the same memory share its bytes; atomics work', async () => {
  const { buffer, fd } = createMemory(3 * PAGE + 5);
  assert.equal(buffer.byteLength, 3 * PAGE + 5);
  assert.ok(new Uint8Array(buffer).every((byte) => byte === 0));
  const other = mapMemory(fd);
  assert.equal(other.byteLength, buffer.byteLength);
  closeSync(fd);
  const mine = new Int32Array(buffer, 0, 2);
  const theirs = new Int32Array(other, 0, 2);
  Atomics.store(mine, 1, -9);
  assert.equal(Atomics.exchange(theirs, 1, 10), -9);
  assert.equal(mine[1], 10);
  unmapMemory(buffer);
  unmapMemory(other);
  await until(() => mappings() === 0, 'the memory is unmapped');
});

const CLOSE_ON_EXEC = 0o2000000;
/** @param {number} fd @returns {number} its flags, open(2) */
function flagsOf(fd) {
  const flags = /^flags:\s+([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'latin1'));
  return Number.parseInt(flags?.[1] ?? '0', 8);
}
const isBlocking = (/** @type {number} */ fd) => (flagsOf(fd) & constants.O_NONBLOCK) === 0;

test('shared memory has a sealed size, so no process can end others by SIGBUS, and is closed on exec', () => {
  const { buffer, fd } = createMemory(PAGE);
  for (const bytes of [0, PAGE - 1, 10 * PAGE]) {
    assert.throws(() => ftruncateSync(fd, bytes), { code: 'EPERM' });
  }
  assert.equal(fstatSync(fd).size, PAGE);
  assert.ok(flagsOf(fd) & CLOSE_ON_EXEC);
  new Uint8Array(buffer).fill(1);
  unmapMemory(buffer);
  closeSync(fd);
});

test('unmapMemory() detaches the buffer: later access fails instead of crashing', () => {
  const { buffer, fd } = createMemory(PAGE);
  const words = new Int32Array(buffer);
  unmapMemory(buffer);
  assert.equal(buffer.byteLength, 0);
  assert.equal(words.length, 0);
  assert.equal(words[0], undefined);
  words[0] = 5;
  assert.throws(() => Atomics.load(words, 0), TypeError);
  assert.throws(() => unmapMemory(buffer), { code: 'PITV_NATIVE_ARGUMENT' });
  closeSync(fd);
});

test('a part of an arena can be detached alone; the memory is unmapped after the last part', async () => {
  const { createArena, mapArena, viewMemory } = native();
  await until(() => mappings() === 0, 'nothing is mapped');
  const { buffer: arena, fd } = createArena(4 * PAGE);
  const other = mapArena(fd);
  closeSync(fd);
  const parts = [0, 2 * PAGE].map((at) => viewMemory(arena, at, PAGE));
  new Uint8Array(parts[1])[3] = 9;
  assert.equal(new Uint8Array(viewMemory(other, 2 * PAGE, PAGE))[3], 9);
  unmapMemory(parts[0]);
  assert.deepEqual([parts[0].byteLength, new Uint8Array(parts[1])[3]], [0, 9]);
  unmapMemory(parts[1]);
  assert.equal(mappings(), 2);
  unmapMemory(arena);
  await until(() => mappings() === 1, 'the memory is unmapped');
  assert.throws(() => unmapMemory(parts[0]), { code: 'PITV_NATIVE_ARGUMENT' });
  unmapMemory(other);
});

test('the two sides of an event share neither their mode nor its signals', () => {
  const { createEvent, signalEvent } = native();
  const { Pipe } = Reflect.get(process, 'binding').call(process, 'pipe_wrap');
  const ends = createEvent();
  const [watched, signalled] = ends;
  const pipes = ends.map((fd) => {
    const pipe = new Pipe(0);
    pipe.open(fd);
    return pipe;
  });
  for (const [i, pipe] of pipes.entries()) {
    pipe.setBlocking(true);
    assert.deepEqual([isBlocking(ends[i]), isBlocking(ends[1 - i])], [true, false]);
    pipe.setBlocking(false);
  }
  assert.throws(() => writeSync(watched, 'x'), { code: 'EBADF' });
  assert.throws(() => readSync(signalled, Buffer.alloc(8)), { code: 'EBADF' });
  for (let signals = 0; signals <= 65_536; signals++) signalEvent(signalled); // until the pipe is full
  pipes[0].close();
  signalEvent(signalled); // nobody watches any more
  pipes[1].close();
});

test('the garbage collector unmaps unreferenced memory', () => {
  const result = run(
    `import { readFileSync, closeSync } from 'node:fs';
     import { setImmediate as turn } from 'node:timers/promises';
     const count = () => readFileSync('/proc/self/maps', 'latin1').match(/memfd:pitv/g)?.length ?? 0;
     for (let i = 0; i < 100; i++) {
       const { buffer, fd } = native().createMemory(1 << 20);
       closeSync(fd);
       if (i % 2) native().unmapMemory(buffer);
     }
     for (let i = 0; i < 20 && count() > 0; i++) { gc(); await turn(); }
     console.log(count());`,
    ['--expose-gc'],
  );
  assert.equal(result.stdout.trim(), '0', result.stderr);
});

test('invalid arguments are errors with a sentence', () => {
  /** @type {any} */
  const odd = { createMemory, mapMemory, unmapMemory, dieWithParent, setLimit };
  for (const call of [
    () => odd.createMemory(),
    () => odd.createMemory(0),
    () => odd.createMemory(-1),
    () => odd.createMemory(1.5),
    () => odd.createMemory(NaN),
    () => odd.createMemory('1'),
    () => odd.createMemory(2 ** 40),
    () => odd.mapMemory(-1),
    () => odd.unmapMemory(new ArrayBuffer(8)),
    () => odd.unmapMemory(new SharedArrayBuffer(8)),
    () => odd.unmapMemory({}),
    () => odd.dieWithParent('x'),
    () => odd.setLimit('luck', 1),
    () => odd.setLimit('core', -1),
  ]) {
    assert.throws(call, (/** @type {any} */ error) => {
      assert.equal(error.code, 'PITV_NATIVE_ARGUMENT', String(call));
      assert.match(error.message, /^\w.*\.$/);
      return true;
    });
  }
});

test('a failed system call is an error with errno and syscall', () => {
  assert.throws(() => mapMemory(9999), { code: 'PITV_NATIVE_FAILED', errno: 9, syscall: 'fstat' });
  const source = `import { native } from '${ADDON}';
    try { for (;;) native().createMemory(1); }
    catch (error) { console.log(error.code, error.errno, error.syscall, error.message); }`;
  const few = 'ulimit -n 64; exec "$0" --input-type=module -e "$1"';
  const { stdout } = spawnSync('sh', ['-c', few, process.execPath, source], { encoding: 'utf8' });
  assert.match(stdout, /^PITV_NATIVE_FAILED 24 memfd_create Could not make shared memory: .*\.$/m);
});

test('a limit on private memory makes a large allocation fail', () => {
  const result = run(
    `import { readFileSync } from 'node:fs';
     const kib = Number(/^VmData:\\s+(\\d+)/m.exec(readFileSync('/proc/self/status', 'latin1'))[1]);
     native().setLimit('data', (kib + 64 * 1024) * 1024);
     const hoard = [];
     try { for (let i = 0; i < 64; i++) hoard.push(new Uint8Array(8 << 20)); }
     catch (error) { hoard.length = 0; console.log(error.name); }
     if (hoard.length === 64) console.log('no limit');`,
  );
  // Either the array fails (an error), or an allocation of V8 itself (it ends the process).
  assert.match(result.stdout + result.stderr, /^RangeError$|heap out of memory/m);
});

test('a missing addon is an error with a remedy; the thread engine works without it', () => {
  const abacus = 'data:text/javascript,Object.defineProperty(process,"arch",{value:"abacus"})';
  const code = `try { native(); } catch (error) { console.log(error.code, error.message); }
    const { createEngine } = await import('${new URL('../engine/index.js', ADDON)}');
    await createEngine('process').catch((error) => console.log(error.code));
    const engine = await createEngine('thread');
    await engine.close();
    console.log('thread works');`;
  const { stdout } = run(code, ['--import', abacus]);
  assert.match(stdout, /^PITV_NATIVE_MISSING .*make native/m);
  assert.match(stdout, /^PITV_ENGINE_UNSUPPORTED$/m);
  assert.match(stdout, /^thread works$/m);
});

const SOURCES = fileURLToPath(new URL('../../app/native', import.meta.url));
const unitOf = (/** @type {string} */ file) => file.replace(/\.[ch]$/, '');

/** What each unit of C, a header and the file of the same name, includes. @type {Map<string, Set<string>>} */
const includes = new Map();
for (const file of readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })) {
  if (!/\.[ch]$/.test(file)) continue;
  const unit = unitOf(file);
  const included = includes.get(unit) ?? new Set();
  const text = readFileSync(posix.join(SOURCES, file), 'utf8');
  for (const [, path] of text.matchAll(/^\s*#\s*include\s+"(.+)"/gm)) {
    included.add(unitOf(posix.join(posix.dirname(file), path)));
  }
  included.delete(unit);
  includes.set(unit, included);
}

test('no C file includes itself through other files', () => {
  const left = new Map(includes);
  for (let before = 0; before !== left.size;) {
    before = left.size;
    for (const [unit, included] of left) {
      if (![...included].some((each) => left.has(each))) left.delete(unit);
    }
  }
  assert.deepEqual([...left.keys()], []);
});

test('the helpers for Node-API include no other file of the addon, and no file includes addon.c', () => {
  assert.deepEqual([...(includes.get('napi-util') ?? ['missing'])], []);
  for (const [unit, included] of includes) assert.ok(!included.has('addon'), unit);
});
