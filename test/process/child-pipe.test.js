import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { closeSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'node:test';
import { native } from '../../app/native/native.js';
import { BUFFER_BYTES, openPipe, resizePipe } from '../../app/process/pipe-ends.js';
import { connectChildren, relay, startChild } from '../../app/process/child-pipe.js';
import { until } from '../support/tv.js';

const BYTES = 24 * 1024 * 1024;
/** Prints numbers. Their hash reveals lost, repeated and reordered bytes. */
const NUMBERS = 'seq 1 700000';
const NUMBERS_BYTES = 4_788_895;

/** @param {string} script */
const shell = (script) => /** @type {[string, string[]]} */ (['sh', ['-c', script]]);

/** @param {string} command @param {string[]} args @returns {Promise<string>} sha256 of its output */
async function hashOf(command, args) {
  const child = await startChild(command, args, { stdout: 'pipe' });
  const hash = createHash('sha256');
  await child.stdout?.consume((bytes) => void hash.update(bytes));
  await child.done();
  return hash.digest('hex');
}

const descriptors = () => readdirSync('/proc/self/fd').length;

for (const kind of /** @type {const} */ (['pipe', 'socket'])) {
  test(`relay() passes every byte in order, and shows it: ${kind}`, async () => {
    const expected = await hashOf(...shell(NUMBERS));
    for (const readBytes of [1000, 64 * 1024, 1024 * 1024]) {
      const options = { kind, readBytes };
      const from = await startChild(...shell(NUMBERS), { stdout: 'pipe', ...options });
      const to = await startChild('sha256sum', [], { stdin: 'pipe', stdout: 'pipe', ...options });
      assert.ok(from.stdout && to.stdin && to.stdout);
      const hash = createHash('sha256');
      let output = '';
      const reading = to.stdout.consume((bytes) => void (output += bytes));
      const total = await relay(from.stdout, to.stdin, (bytes) => hash.update(bytes));
      await Promise.all([reading, from.done(), to.done()]);
      assert.equal(total, NUMBERS_BYTES);
      assert.equal(hash.digest('hex'), expected, 'inspected');
      assert.equal(output.split(' ')[0], expected, 'received');
    }
  });

  test(`connectChildren() connects two children without this process: ${kind}`, async () => {
    const before = descriptors();
    const out = mkdtempSync(join(tmpdir(), 'pitv-pipe-'));
    const file = join(out, 'sum');
    const [from, to] = await connectChildren(
      { command: 'sh', args: ['-c', NUMBERS] },
      { command: 'sh', args: ['-c', `sha256sum >${file}`] },
      { kind },
    );
    await Promise.all([from.done(), to.done()]);
    const child = await startChild('cat', [file], { stdout: 'pipe' });
    let output = '';
    await child.stdout?.consume((bytes) => void (output += bytes));
    await child.done();
    rmSync(out, { recursive: true });
    assert.equal(output.split(' ')[0], await hashOf(...shell(NUMBERS)));
    assert.equal(descriptors(), before, 'no descriptor is left open');
  });
}

test('a slow consumer blocks the writer: at most two chunks are pending', async () => {
  const readBytes = 4096;
  const from = await startChild('yes', [], {
    stdout: 'pipe',
    readBytes,
    kind: 'pipe',
    bufferBytes: 4096,
  });
  assert.ok(from.stdout);
  /** @type {(() => void)[]} */
  const waiting = [];
  let consumed = 0;
  let maxPending = 0;
  const reading = from.stdout.consume(() => {
    consumed++;
    maxPending = Math.max(maxPending, waiting.length + 1);
    return new Promise((resolve) => waiting.push(resolve));
  });
  reading.catch(() => {});
  while (consumed < 40) {
    await new Promise((resolve) => setImmediate(resolve));
    if (waiting.length === 2) waiting.shift()?.();
  }
  assert.equal(maxPending, 2);
  await from.stop();
  await assert.rejects(reading, { code: 'PITV_PIPE_CLOSED' });
});

test('write() returns a promise when the pipe is full, and no byte is lost', async () => {
  const to = await startChild('sh', ['-c', 'sleep 0.2; wc -c >&2'], { stdin: 'pipe' });
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
  assert.equal(Number(to.stderrTail), BYTES);
  assert.ok(waits > 0);
});

test('a pipe has 1 MiB, or as much as the system allows', () => {
  const ends = openPipe({ kind: 'pipe' });
  assert.ok(ends);
  const actual = native().pipeSize(ends.reading);
  ends.close();
  assert.equal(ends.bytes, actual);
  assert.ok(actual === BUFFER_BYTES || process.getuid?.() !== 0, `${actual}`);

  const [reading, writing] = native().makePipe();
  const refusing = {
    pipeSize: native().pipeSize,
    /** @param {number} fd @param {number} bytes */
    setPipeSize(fd, bytes) {
      if (bytes > 131072) throw Object.assign(new Error('EPERM'), { code: 'PITV_NATIVE_FAILED' });
      return native().setPipeSize(fd, bytes);
    },
  };
  assert.equal(resizePipe(refusing, writing, BUFFER_BYTES), 131072);
  const never = { ...refusing, setPipeSize: () => refusing.setPipeSize(writing, 1e9) };
  assert.equal(
    resizePipe(never, writing, BUFFER_BYTES),
    131072,
    'unchanged if every size is refused',
  );
  for (const fd of [reading, writing]) closeSync(fd);
});

test('the buffers of a socket have the given size, doubled by the kernel', () => {
  const small = openPipe({ bufferBytes: 65536 });
  const large = openPipe({ bufferBytes: 131072 });
  assert.equal(small?.bytes, 131072);
  assert.equal(large?.bytes, 262144);
  small?.close();
  large?.close();
});

test('a missing program is an error with a remedy, and no descriptor stays open', async () => {
  const before = descriptors();
  const missing = { code: 'PITV_PROGRAM_MISSING', message: /no program pitv-no-such.*Install/ };
  await assert.rejects(startChild('pitv-no-such', [], { stdin: 'pipe', stdout: 'pipe' }), missing);
  const source = { command: 'yes', args: [] };
  await assert.rejects(connectChildren(source, { command: 'pitv-no-such', args: [] }), missing);
  await assert.rejects(connectChildren({ command: 'pitv-no-such', args: [] }, source), missing);
  await until(() => descriptors() === before, 'all descriptors to be closed');
});

test('a program that is not executable is an error', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'pitv-pipe-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'program');
  writeFileSync(file, 'not a program', { mode: 0o644 });
  await assert.rejects(startChild(file, []), {
    code: 'PITV_PROGRAM_REFUSED',
    message: /executable/,
  });
});

test('done() rejects with the last line of stderr, or with the signal', async () => {
  const failing = await startChild(...shell('echo first >&2; echo the reason >&2; exit 3'));
  await assert.rejects(failing.done(), {
    code: 'PITV_CHILD_FAILED',
    message: /exit status 3.*the reason/,
  });
  const killed = await startChild(...shell('kill -9 $$'));
  await assert.rejects(killed.done(), { code: 'PITV_CHILD_FAILED', message: /SIGKILL/ });
});

test('relay() rejects when the target stops reading', async () => {
  const from = await startChild('yes', [], { stdout: 'pipe' });
  const to = await startChild('head', ['-c', '1000'], { stdin: 'pipe' });
  assert.ok(from.stdout && to.stdin);
  await assert.rejects(relay(from.stdout, to.stdin), {
    code: 'PITV_PIPE_CLOSED',
    message: /head has ended or closed its input/,
  });
  await to.done();
  const { code, signal } = await from.exited; // its output was closed
  assert.ok(code === 1 || signal === 'SIGPIPE', `${code} ${signal}`);
});

test('when one of two connected children ends, the other finds the pipe closed', async () => {
  const [from, to] = await connectChildren(
    { command: 'yes', args: [] },
    { command: 'head', args: ['-c', '5000'] },
  );
  await to.done();
  const { code, signal } = await from.exited;
  assert.ok(code === 1 || signal === 'SIGPIPE', `${code} ${signal}`);
});

test('stop() kills a child that ignores SIGTERM', async () => {
  const child = await startChild(...shell('trap "" TERM; echo up; while :; do sleep 0.05; done'), {
    stdout: 'pipe',
  });
  await new Promise((resolve) => child.stdout?.consume(() => resolve(undefined)).catch(() => {}));
  assert.equal((await child.stop()).signal, 'SIGKILL');
});
