/** A child of a zygote works like any Node.js process. Runs on every Node.js by nodes.long.test.js. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import net from 'node:net';
import os from 'node:os';
import { text } from 'node:stream/consumers';
import { before, describe, test } from 'node:test';
import { ask, probe, sharedZygote } from './helpers.js';

describe('a child of a zygote', () => {
  const shared = sharedZygote();
  /** @type {import('../../../app/engine/zygote/index.js').Zygote} */
  let zygote;
  before(() => {
    ({ zygote } = shared);
  });

  test('has its own pid, name and priority', async () => {
    const { child, messages } = await probe(zygote, 'identity', null, { name: 'pitv:bumper' });
    assert.deepEqual(messages, [
      {
        pid: child.pid,
        ppid: zygote.pid,
        title: 'pitv:bumper',
        command: 'pitv:bumper', // in the process list
        comm: 'pitv:bumper',
        self: child.pid,
        mainThread: os.getPriority(), // by default that of this process
        execArgv: [],
      },
    ]);
  });

  test('draws its own random numbers, not cached ones of the zygote', async () => {
    const children = await Promise.all(Array.from({ length: 8 }, () => ask(zygote, 'random')));
    for (const pick of ['math', 'bytes', 'uuids', 'ints', 'values']) {
      const drawn = children.flatMap((child) => child[pick]);
      assert.equal(new Set(drawn).size, drawn.length, `${pick} repeat`);
    }
    const numbers = children.flatMap((child) => child.math);
    assert.ok(numbers.every((number) => number >= 0 && number < 1));
    const mean = numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
    assert.ok(Math.abs(mean - 0.5) < 0.1, `the mean of 800 numbers is ${mean}`);
  });

  test('has clocks that start with it', async () => {
    const asked = Date.now();
    const clocks = await ask(zygote, 'clocks');
    const told = Date.now();
    const slackMs = 1; // Date has whole milliseconds
    assert.ok(clocks.timeOrigin >= asked - slackMs && clocks.timeOrigin <= told + slackMs);
    const date = clocks.date - clocks.timeOrigin; // read after now, and before mark
    assert.ok(date >= clocks.now - 2 - slackMs && date <= clocks.mark + 2 + slackMs);
    assert.ok(clocks.now >= 0 && clocks.now < told - asked + slackMs);
    assert.ok(clocks.uptime >= 0 && clocks.uptime * 1000 < told - asked + slackMs);
    assert.ok(clocks.mark >= clocks.now && clocks.mark < told - asked + slackMs);
    assert.equal(clocks.json, clocks.timeOrigin);
    assert.ok(clocks.waitedMs >= 29, `a timer of 30 ms was due after ${clocks.waitedMs} ms`);
    assert.ok(clocks.measured >= 29 && clocks.measured < told - asked + slackMs);
    assert.equal(clocks.whole.startTime, 0);
    assert.ok(clocks.whole.duration < told - asked + slackMs);
  });

  test('has no timers, sockets or signal handlers of the zygote', async () => {
    const left = await ask(zygote, 'left');
    assert.equal(left.ticked, 0, 'a timer of the zygote runs');
    assert.equal(left.handles, 0);
    const others = left.resources.filter((/** @type {string} */ name) => name !== 'Timeout');
    assert.deepEqual(others, []);
    assert.deepEqual(left.signals, [0, 0]);
    /** @type {(pattern: RegExp) => number} */
    const count = (pattern) =>
      left.descriptors.filter((/** @type {string} */ to) => pattern.test(to)).length;
    assert.equal(count(/^socket:/), 1, `sockets: ${left.descriptors}`); // to the main process
    assert.equal(count(/file$/), 1, 'the file that is kept');
    assert.equal(count(/inotify/) <= 1, true);
    const connecting = once(net.connect(left.port, '127.0.0.1'), 'connect');
    await assert.rejects(connecting, { code: 'ECONNREFUSED' });
    process.kill(left.sleeper);
  });

  test('has only the descriptors that are kept', async () => {
    assert.deepEqual(await ask(zygote, 'kept'), ['content', 'EBADF']);
  });

  test('sends the current date over HTTP', async () => {
    const { zygote: then, child: now } = await ask(zygote, 'date');
    assert.ok(Math.abs(Date.parse(now) - Date.now()) < 5000, `${now}, ${then} in the zygote`);
  });

  test('can use files, DNS, processes, WebAssembly, threads, HTTP and signals', async () => {
    assert.deepEqual(await ask(zygote, 'works'), {
      fs: 'text',
      dns: '127.0.0.1',
      execFileSync: 'sync',
      spawn: [0, '-p,process.execArgv.join()'],
      scrypt: true,
      zlib: 'zipped',
      wasm: [42, 42],
      thread: 42,
      http: 'hello',
      signal: 'came',
      watch: 'new',
      imported: 'function',
      dynamic: 7,
    });
  });

  test('refuses to open an inspector', async () => {
    assert.equal(await ask(zygote, 'inspector'), 'PITV_ZYGOTE_INSPECTOR');
  });

  test('has the requested priority, CPUs and memory limit', async () => {
    assert.deepEqual(await ask(zygote, 'limits', null, { niceness: 7, cpus: [0] }), {
      niceness: 7,
      cpus: '0',
    });
    assert.equal(await ask(zygote, 'hoard'), 64);
    const { messages, exit } = await probe(zygote, 'hoard', null, {
      memoryMb: 64,
      stdio: 'ignore',
    });
    assert.deepEqual(messages, []);
    assert.ok(exit.code !== 0, `ended with ${exit.code}`);
  });

  test('has the requested stdio', async () => {
    const child = await zygote.fork({ probe: 'stdio' }, { stdio: ['pipe', 'pipe', 'pipe'] });
    const { stdin, stdout, stderr } = child;
    assert.ok(stdin && stdout && stderr);
    const texts = Promise.all([text(stdout), text(stderr)]);
    const message = once(child, 'message');
    stdin.end('typed in');
    assert.deepEqual(await texts, ['to stdout\nmore\n', 'to stderr\n']);
    assert.deepEqual(await message, ['typed in']);
  });

  /** @type {[string, unknown, number | null, string | null, RegExp][]} */
  const endings = [
    ['exit', 5, 5, null, /^$/],
    ['exitCode', 4, 4, null, /^$/],
    ['echo', 1, 0, null, /^$/],
    ['uncaught', 0, 1, null, /TypeError: nobody catches this[^]*untidy\.js[^]*Node\.js v/],
    ['beforeExitThrows', 0, 1, null, /TypeError: nobody catches this either/],
    ['rejected', 0, 1, null, /RangeError: nobody handles this/],
    ['handlerThrows', 0, 7, null, /handler/],
    ['abort', 0, null, 'SIGABRT', /^/],
    ['kill', 'SIGKILL', null, 'SIGKILL', /^$/],
    ['kill', 'SIGTERM', null, 'SIGTERM', /^$/],
  ];
  for (const [name, value, code, signal, words] of endings) {
    test(`ends by ${name} ${value || ''} like any process`, async () => {
      const child = await zygote.fork({ probe: name, value }, { stdio: [0, 'inherit', 'pipe'] });
      assert.ok(child.stderr);
      const said = text(child.stderr);
      const exit = await child.exited;
      assert.deepEqual([exit.code, exit.signal, exit.orphaned], [code, signal, false]);
      assert.match(await said, words);
      assert.ok(exit.peakKib > 0);
    });
  }

  test('runs its exit listeners', async () => {
    const { messages, exit } = await probe(zygote, 'exitListener');
    assert.deepEqual(messages, ['beforeExit', { leaving: 0, exitCode: undefined }]);
    assert.equal(exit.code, 9);
  });

  test('can handle uncaughtException', async () => {
    const { messages, exit } = await probe(zygote, 'caught');
    assert.deepEqual(messages, [['somebody catches this', 'uncaughtException']]);
    assert.equal(exit.code, 0);
  });
});
