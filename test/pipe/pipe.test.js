import assert from 'node:assert/strict';
import { execFile, execFileSync, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { closeSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { promisify } from 'node:util';
import { native } from '../../app/native/native.js';
import { BUFFER_BYTES, resizePipe } from '../../app/pipe/ends.js';
import { connectChildren, openPipe, relay, startChild } from '../../app/pipe/index.js';
import { temporaryFolder, until } from '../support/tv.js';

const BYTES = 24 * 1024 * 1024;
/** Prints numbers. Their hash reveals lost, repeated and reordered bytes. */
const NUMBERS = 'seq 1 700000';
const NUMBERS_BYTES = 4_788_895;
const SUM = execFileSync('sh', ['-c', `${NUMBERS} | sha256sum`], { encoding: 'utf8' });
const YES = { command: 'yes' };
const HEAD = { command: 'head', args: ['-c', '5000'] };

/** @param {string} script */
const shell = (script) => /** @type {[string, string[]]} */ (['sh', ['-c', script]]);

const descriptors = () => readdirSync('/proc/self/fd').length;

for (const kind of /** @type {const} */ (['pipe', 'socket'])) {
  test(`relay() passes every byte in order, and shows it: ${kind}`, async () => {
    for (const readBytes of [1000, 64 * 1024, 1024 * 1024]) {
      const options = { kind, readBytes };
      const from = await startChild(...shell(NUMBERS), { stdout: 'pipe', ...options });
      const to = await startChild('sha256sum', [], { stdin: 'pipe', stdout: 'pipe', ...options });
      assert.ok(to.stdout);
      const hash = createHash('sha256');
      let output = '';
      const reading = to.stdout.consume((bytes) => void (output += bytes));
      const total = await relay(from.stdout, to.stdin, (bytes) => hash.update(bytes));
      await Promise.all([reading, from.done(), to.done()]);
      assert.equal(total, NUMBERS_BYTES);
      assert.equal(`${hash.digest('hex')}  -\n`, SUM, 'inspected');
      assert.equal(output, SUM, 'received');
    }
  });

  test(`connectChildren() connects two children without this process: ${kind}`, async () => {
    const before = descriptors();
    const file = join(temporaryFolder(), 'sum');
    const [from, to] = await connectChildren(
      { command: 'sh', args: ['-c', NUMBERS] },
      { command: 'sh', args: ['-c', `sha256sum >${file}`] },
      { kind },
    );
    await Promise.all([from.done(), to.done()]);
    assert.equal(readFileSync(file, 'utf8'), SUM);
    assert.equal(descriptors(), before, 'no descriptor is left open');
  });
}

test('a slow consumer blocks the writer: at most two chunks are pending', async () => {
  const options = /** @type {const} */ ({ kind: 'pipe', bufferBytes: 4096, readBytes: 4096 });
  const from = await startChild('yes', [], { stdout: 'pipe', ...options });
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
  assert.equal(small.bytes, 131072);
  assert.equal(large.bytes, 262144);
  small.close();
  large.close();
});

test('the ends of openPipe() connect programs that others start', async () => {
  const before = descriptors();
  const ends = openPipe();
  const to = spawn('wc', ['-c'], { stdio: [ends.reading, 'pipe', 'ignore'] });
  const from = spawn('seq', ['1', '700000'], { stdio: ['ignore', ends.writing, 'ignore'] });
  assert.equal(ends.keep(ends.reading), ends.reading);
  ends.close();
  closeSync(ends.reading);
  const [[bytes]] = await Promise.all([
    once(/** @type {import('node:stream').Readable} */ (to.stdout), 'data'),
    once(to, 'exit'),
    once(from, 'exit'),
  ]);
  assert.equal(Number(bytes), NUMBERS_BYTES);
  await until(() => descriptors() <= before, 'all descriptors to be closed');
});

test('a missing program is an error with a remedy, and no descriptor stays open', async () => {
  const before = descriptors();
  const missing = { code: 'PITV_PROGRAM_MISSING', message: /no program pitv-no-such.*Install/ };
  await assert.rejects(startChild('pitv-no-such', [], { stdin: 'pipe', stdout: 'pipe' }), missing);
  await assert.rejects(connectChildren(YES, { command: 'pitv-no-such' }), missing);
  await assert.rejects(connectChildren({ command: 'pitv-no-such' }, YES), missing);
  await until(() => descriptors() <= before, 'all descriptors to be closed');
});

test('a program that is not executable is an error', async () => {
  const file = join(temporaryFolder(), 'program');
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
  await assert.rejects(relay(from.stdout, to.stdin), {
    code: 'PITV_PIPE_CLOSED',
    message: /head has ended or closed its input/,
  });
  await to.done();
  const { code, signal } = await from.exited; // its output was closed
  assert.ok(code === 1 || signal === 'SIGPIPE', `${code} ${signal}`);
});

test('a source that ignores SIGPIPE gets an error, and one that ignores that is ended by the signal', async () => {
  const ignoring = { command: 'sh', args: ['-c', 'trap "" PIPE; exec yes'] };
  const [failing] = await connectChildren(ignoring, HEAD);
  assert.equal((await failing.exited).code, 1);

  const controller = new AbortController();
  const script = 'trap "" PIPE; while :; do echo yes; done 2>/dev/null';
  const { signal } = controller;
  const [from, to] = await connectChildren({ command: 'sh', args: ['-c', script] }, HEAD, {
    signal,
  });
  await to.done();
  assert.equal(from.process.exitCode, null);
  const reason = new Error('enough');
  controller.abort(reason);
  await assert.rejects(from.done(), { name: 'AbortError', cause: reason });
  assert.equal((await from.exited).signal, 'SIGTERM');
});

test('a signal ends a child, its relay and the start of others', async () => {
  const before = descriptors();
  const controller = new AbortController();
  const { signal } = controller;
  const from = await startChild('yes', [], { stdout: 'pipe', signal });
  const to = await startChild('cat', [], { stdin: 'pipe', signal });
  const aborted = { code: 'PITV_CHILD_ABORTED', message: /was stopped by its signal/ };
  const passing = relay(from.stdout, to.stdin, () => controller.abort());
  await assert.rejects(passing, aborted);
  await Promise.all([from, to].map((child) => assert.rejects(child.done(), aborted)));
  await assert.rejects(startChild('yes', [], { signal }), aborted);
  await assert.rejects(connectChildren(YES, { command: 'cat' }, { signal }), aborted);
  await until(() => descriptors() <= before, 'all descriptors to be closed');
});

test('one of two connected children may have a signal of its own', async () => {
  const controller = new AbortController();
  const { signal } = controller;
  const [from, to] = await connectChildren({ ...YES, options: { signal } }, { command: 'wc' });
  controller.abort();
  await assert.rejects(from.done(), { code: 'PITV_CHILD_ABORTED' });
  await to.done();
});

test('stop() kills a child that ignores SIGTERM', async () => {
  const child = await startChild(...shell('trap "" TERM; echo up; while :; do sleep 0.05; done'), {
    stdout: 'pipe',
  });
  await new Promise((resolve) => child.stdout?.consume(() => resolve(undefined)).catch(() => {}));
  await assert.rejects(child.stop({ graceMs: -1 }), { code: 'PITV_OPTION_INVALID' });
  assert.equal((await child.stop({ graceMs: 20 })).signal, 'SIGKILL');
});

test('a child has ended although a process that it left behind keeps its stderr open', async () => {
  const before = descriptors();
  const [reading, writing] = native().makePipe(); // ends the process that is left behind
  const child = await startChild(
    ...shell('exec 3<&0; cat <&3 >/dev/null & echo last words >&2; exit 3'),
    {
      stdin: reading,
    },
  );
  await assert.rejects(child.done(), { message: /exit status 3.*last words/ });
  await child.stop();
  for (const fd of [reading, writing]) closeSync(fd);
  assert.equal(descriptors(), before);
});

test('a pipe is read and ended once, and not after it was closed', async () => {
  const child = await startChild('echo', ['one'], { stdout: 'pipe' });
  await child.stdout?.consume(() => {});
  await assert.rejects(async () => child.stdout?.consume(() => {}), {
    code: 'PITV_PIPE_CLOSED',
    message: /output of echo is read already/,
  });
  const written = await startChild('cat', [], { stdin: 'pipe' });
  await written.stdin?.end();
  await assert.rejects(async () => written.stdin?.end(), { code: 'PITV_PIPE_CLOSED' });
  const other = await startChild('cat', [], { stdin: 'pipe', stdout: 'pipe' });
  await other.stop();
  await assert.rejects(async () => other.stdout?.consume(() => {}), { code: 'PITV_PIPE_CLOSED' });
  await assert.rejects(async () => other.stdin?.end(), { code: 'PITV_PIPE_CLOSED' });
});

test('wrong arguments are errors that name what is possible', async () => {
  const before = descriptors();
  const child = await startChild('cat');
  const noArgument = { command: 'yes', arg: ['no'] };
  /** @type {[message: RegExp, call: (...args: any) => unknown, ...args: unknown[]][]} */
  const wrong = [
    [/command must be a text/, startChild, ''],
    [/args must be an array/, startChild, 'cat', '-u'],
    [/args must be .* without NUL/, startChild, 'cat', ['a\0b']],
    [/stdin must be 'pipe', 'ignore'/, startChild, 'cat', [], { stdin: 'file' }],
    [/no option "stdinn"/, startChild, 'cat', [], { stdinn: 'pipe' }],
    [/no folder \/no\/such/, startChild, 'cat', [], { cwd: '/no/such' }],
    [/kind must be one of socket, pipe/, openPipe, { kind: 'fifo' }],
    [/bufferBytes must be .* 4096 to/, openPipe, { bufferBytes: 1 }],
    [/readBytes must be/, startChild, 'cat', [], { readBytes: 0 }],
    [/source must be an object/, connectChildren, 'yes', YES],
    [/target must be an object/, connectChildren, YES, undefined],
    [/no option "readBytes"/, connectChildren, YES, YES, { readBytes: 9 }],
    [/source of .*\(\): there is no option "arg"/, connectChildren, noArgument, YES],
    [/target of .*\(\): options must be/, connectChildren, YES, { command: 'cat', options: 5 }],
    [/source must be the stdout of .* stdout: 'pipe'/, relay, child.stdout, child.stdin],
  ];
  for (const [message, call, ...args] of wrong) {
    const error = { code: 'PITV_OPTION_INVALID', message };
    await assert.rejects(async () => call(...args), error);
  }
  await child.done();
  await until(() => descriptors() <= before, 'all descriptors to be closed');
});

test('a program may inherit, and get streams and descriptors of others', async () => {
  const from = await startChild('seq', ['1', '700000'], { stdout: 'pipe' });
  const counter = spawn('wc', ['-c'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const copying = await startChild('cat', [], {
    stdin: 'pipe',
    stdout: counter.stdin,
    niceness: 1,
  });
  counter.stdin.destroy();
  const [total, [bytes]] = await Promise.all([
    relay(from.stdout, copying.stdin),
    once(counter.stdout, 'data'),
  ]);
  await Promise.all([from.done(), copying.done()]);
  assert.deepEqual([total, Number(bytes)], [NUMBERS_BYTES, NUMBERS_BYTES]);
});

test('without the addon all bytes pass through the pipes of Node.js, and openPipe() names it', async () => {
  const program = `
    const { connectChildren, openPipe, relay, startChild } = await import('${new URL('../../app/pipe/index.js', import.meta.url)}');
    try { openPipe() } catch (error) { console.log(error.code) }
    const numbers = { command: 'seq', args: ['1', '700000'] };
    const count = ['-c', 'wc -c >&2'];
    const children = await connectChildren(numbers, { command: 'sh', args: count });
    for (const child of children) await child.done();
    console.log(children[1].stderrTail);
    const from = await startChild(numbers.command, numbers.args, { stdout: 'pipe' });
    const to = await startChild('sh', count, { stdin: 'pipe' });
    console.log(await relay(from.stdout, to.stdin));
    await Promise.all([from.done(), to.done()]);
    console.log(to.stderrTail);`;
  const noAddon = 'data:text/javascript,Object.defineProperty(process,"arch",{value:"none"})';
  const args = ['--import', noAddon, '--input-type=module', '-e', program];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  const passed = Array(3).fill(NUMBERS_BYTES);
  assert.deepEqual(stdout.trim().split('\n'), ['PITV_NATIVE_MISSING', ...passed.map(String)]);
});
