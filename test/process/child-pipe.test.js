import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { closeSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { native } from '../../app/native/native.js';
import { BUFFER_BYTES, openEnds, sizePipe } from '../../app/process/pipe-ends.js';
import { direct, start, through } from '../../app/process/child-pipe.js';
import { until } from '../support/tv.js';

const BYTES = 24 * 1024 * 1024;
/** Writes numbers that no chunk border can hide: a program and what it writes, hashed. */
const NUMBERS = ['seq', ['1', '3000000']];

/** @param {string} script */
const shell = (script) => /** @type {[string, string[]]} */ (['sh', ['-c', script]]);

/** @param {string} command @param {string[]} args @returns {Promise<string>} sha256 of what it writes */
async function hashOf(command, args) {
  const child = await start(command, args, { stdout: 'pipe' });
  const hash = createHash('sha256');
  await child.stdout?.each((bytes) => void hash.update(bytes));
  await child.done();
  return hash.digest('hex');
}

const descriptors = () => readdirSync('/proc/self/fd').length;

for (const kind of /** @type {const} */ (['pipe', 'socket'])) {
  test(`every byte passes through in order, and is seen: ${kind}`, async () => {
    const expected = await hashOf(...shell(NUMBERS.flat().join(' ')));
    for (const readBytes of [1000, 64 * 1024, 1024 * 1024]) {
      const wiring = { kind, readBytes };
      const from = await start(...shell(NUMBERS.flat().join(' ')), { stdout: 'pipe', ...wiring });
      const to = await start('sha256sum', [], { stdin: 'pipe', stdout: 'pipe', ...wiring });
      assert.ok(from.stdout && to.stdin && to.stdout);
      const hash = createHash('sha256');
      let said = '';
      const listening = to.stdout.each((bytes) => void (said += bytes));
      const total = await through(from.stdout, to.stdin, (bytes) => hash.update(bytes));
      await Promise.all([listening, from.done(), to.done()]);
      assert.ok(total > 20_000_000, `${total}`);
      assert.equal(hash.digest('hex'), expected, 'what was seen');
      assert.equal(said.split(' ')[0], expected, 'what arrived');
    }
  });

  test(`two children are joined without this process: ${kind}`, async () => {
    const before = descriptors();
    const out = mkdtempSync(join(tmpdir(), 'pitv-pipe-'));
    const file = join(out, 'sum');
    const [from, to] = await direct(
      { command: 'sh', args: ['-c', NUMBERS.flat().join(' ')] },
      { command: 'sh', args: ['-c', `sha256sum >${file}`] },
      { kind },
    );
    await Promise.all([from.done(), to.done()]);
    const child = await start('cat', [file], { stdout: 'pipe' });
    let said = '';
    await child.stdout?.each((bytes) => void (said += bytes));
    await child.done();
    rmSync(out, { recursive: true });
    assert.equal(said.split(' ')[0], await hashOf(...shell(NUMBERS.flat().join(' '))));
    assert.equal(descriptors(), before, 'no descriptor is left open');
  });
}

test('who is slow holds the writer back: at most two chunks are under way', async () => {
  const readBytes = 4096;
  const from = await start('yes', [], {
    stdout: 'pipe',
    readBytes,
    kind: 'pipe',
    bufferBytes: 4096,
  });
  assert.ok(from.stdout);
  /** @type {(() => void)[]} */
  const waiting = [];
  let taken = 0;
  let most = 0;
  const reading = from.stdout.each(() => {
    taken++;
    most = Math.max(most, waiting.length + 1);
    return new Promise((resolve) => waiting.push(resolve));
  });
  reading.catch(() => {});
  while (taken < 40) {
    await new Promise((resolve) => setImmediate(resolve));
    if (waiting.length === 2) waiting.shift()?.();
  }
  assert.equal(most, 2);
  await from.stop();
  await assert.rejects(reading, { code: 'PITV_PIPE_CLOSED' });
});

test('a write that does not fit says so by a promise, and none is lost', async () => {
  const to = await start('sh', ['-c', 'sleep 0.2; wc -c >&2'], { stdin: 'pipe' });
  assert.ok(to.stdin);
  const chunk = Buffer.alloc(BYTES / 8, 1);
  let waits = 0;
  for (let i = 0; i < 8; i++) {
    const written = to.stdin.write(chunk);
    if (written) waits++;
    await written;
  }
  await to.stdin.end();
  await to.done();
  assert.equal(Number(to.words), BYTES);
  assert.ok(waits > 0);
});

test('a pipe of 1 MiB, or as large as the system allows', () => {
  const ends = openEnds({ kind: 'pipe' });
  assert.ok(ends);
  const asked = native().pipeSize(ends.reading);
  ends.close();
  assert.equal(ends.bytes, asked);
  assert.ok(asked === BUFFER_BYTES || process.getuid?.() !== 0, `${asked}`);

  const [reading, writing] = native().makePipe();
  const refusing = {
    pipeSize: native().pipeSize,
    /** @param {number} fd @param {number} bytes */
    setPipeSize(fd, bytes) {
      if (bytes > 131072) throw Object.assign(new Error('EPERM'), { code: 'PITV_NATIVE_FAILED' });
      return native().setPipeSize(fd, bytes);
    },
  };
  assert.equal(sizePipe(refusing, writing, BUFFER_BYTES), 131072);
  const never = { ...refusing, setPipeSize: () => refusing.setPipeSize(writing, 1e9) };
  assert.equal(sizePipe(never, writing, BUFFER_BYTES), 131072, 'then it stays as it is');
  for (const fd of [reading, writing]) closeSync(fd);
});

test('a socket’s buffers are those asked for, doubled by the kernel', () => {
  const small = openEnds({ bufferBytes: 65536 });
  const large = openEnds({ bufferBytes: 131072 });
  assert.equal(small?.bytes, 131072);
  assert.equal(large?.bytes, 262144);
  small?.close();
  large?.close();
});

test('a program that is not there is named, with what to do, and leaves nothing open', async () => {
  const before = descriptors();
  const missing = { code: 'PITV_PROGRAM_MISSING', message: /no program pitv-no-such.*Install/ };
  await assert.rejects(start('pitv-no-such', [], { stdin: 'pipe', stdout: 'pipe' }), missing);
  const source = { command: 'yes', args: [] };
  await assert.rejects(direct(source, { command: 'pitv-no-such', args: [] }), missing);
  await assert.rejects(direct({ command: 'pitv-no-such', args: [] }, source), missing);
  await until(() => descriptors() === before, 'all descriptors to be closed');
});

test('a program that may not be run is named', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'pitv-pipe-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'program');
  writeFileSync(file, 'no program', { mode: 0o644 });
  await assert.rejects(start(file, []), { code: 'PITV_PROGRAM_REFUSED', message: /executable/ });
});

test('a child that fails is told with its last words; one that is killed, with the signal', async () => {
  const failing = await start(...shell('echo first >&2; echo the reason >&2; exit 3'));
  await assert.rejects(failing.done(), {
    code: 'PITV_CHILD_FAILED',
    message: /exit status 3.*the reason/,
  });
  const killed = await start(...shell('kill -9 $$'));
  await assert.rejects(killed.done(), { code: 'PITV_CHILD_FAILED', message: /SIGKILL/ });
});

test('a target that stops reading ends the passing on with EPIPE in words', async () => {
  const from = await start('yes', [], { stdout: 'pipe' });
  const to = await start('head', ['-c', '1000'], { stdin: 'pipe' });
  assert.ok(from.stdout && to.stdin);
  await assert.rejects(through(from.stdout, to.stdin), {
    code: 'PITV_PIPE_CLOSED',
    message: /head takes no more/,
  });
  await to.done();
  const { code, signal } = await from.exited; // its output was closed
  assert.ok(code === 1 || signal === 'SIGPIPE', `${code} ${signal}`);
});

test('when one of two joined children ends, the other finds the pipe closed', async () => {
  const [from, to] = await direct(
    { command: 'yes', args: [] },
    { command: 'head', args: ['-c', '5000'] },
  );
  await to.done();
  const { code, signal } = await from.exited;
  assert.ok(code === 1 || signal === 'SIGPIPE', `${code} ${signal}`);
});

test('a child that ignores a polite end is ended all the same', async () => {
  const child = await start(...shell('trap "" TERM; echo up; while :; do sleep 0.05; done'), {
    stdout: 'pipe',
  });
  await new Promise((resolve) => child.stdout?.each(() => resolve(undefined)).catch(() => {}));
  assert.equal((await child.stop()).signal, 'SIGKILL');
});
