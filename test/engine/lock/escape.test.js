/** What code of a stranger tries in a locked worker. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { until } from '../helpers.js';
import { makeStranger, skip } from './helpers.js';

/** By the lock, or because the path does not exist in the worker's view, which is read-only. */
const REFUSED = ['EACCES', 'EPERM', 'ENOENT', 'EROFS'];

/** @param {string} path an expression */
const readFile = (path) => `return (await import('node:fs')).readFileSync(${path}, 'latin1')`;
/** @param {string} call of node:fs */
const fs = (call) => `return (await import('node:fs')).${call}`;
/** Waits for a socket's first event. @param {string} socket an expression @param {string} event of success */
const net = (socket, event) =>
  `const socket = ${socket};
   return new Promise((resolve, reject) => socket.on('error', reject).on('${event}', resolve));`;

/**
 * Pieces of source code, each with the codes of the error that it must get.
 * @type {Record<string, [string, string[]]>}
 */
const ATTEMPTS = {
  'read /etc/passwd': [readFile(`'/etc/passwd'`), REFUSED],
  'read /etc/passwd on a thread of the pool': [
    `return (await import('node:fs/promises')).readFile('/etc/passwd')`,
    REFUSED,
  ],
  'read the admin token': [readFile('args.token'), REFUSED],
  'read it by a symbolic link in the package': [readFile('args.link'), REFUSED],
  'read it by a path through the package': [readFile('args.folder + "/../data/token"'), REFUSED],
  'list a folder': [fs(`readdirSync('/')`), REFUSED],
  'watch a folder': [fs(`watch(args.folder)`), REFUSED],
  'read the memory of this process': [readFile(`'/proc/self/mem'`), REFUSED],
  'read the memory of the TV': [readFile(`'/proc/' + args.pid + '/mem'`), REFUSED],
  'read the environment of the TV': [readFile(`'/proc/' + args.pid + '/environ'`), REFUSED],
  'read the environment of its process': [readFile(`'/proc/self/environ'`), REFUSED],
  'read the descriptors of the TV': [fs(`readlinkSync('/proc/' + args.pid + '/fd/0')`), REFUSED],
  'write in the package': [fs(`writeFileSync(args.folder + '/new', '')`), REFUSED],
  'write to an existing file': [fs(`writeFileSync(args.token, '')`), REFUSED],
  'fill the memory by a file': [fs(`writeFileSync('/dev/shm/' + args.abstract, '')`), REFUSED],
  'truncate a file': [fs(`truncateSync(args.game, 0)`), REFUSED],
  'truncate a file by opening it': [fs(`openSync(args.game, 0o1000)`), REFUSED],
  'make a folder': [fs(`mkdirSync(args.folder + '/new')`), REFUSED],
  'rename a file': [fs(`renameSync(args.game, args.game + '2')`), REFUSED],
  'remove a file': [fs(`unlinkSync(args.game)`), REFUSED],
  'make a link': [fs(`linkSync(args.game, args.game + '2')`), REFUSED],
  'make a symbolic link': [fs(`symlinkSync(args.game, args.game + '2')`), REFUSED],
  'change the mode of a file': [fs(`chmodSync(args.game, 0o777)`), REFUSED],
  'change the times of a file': [fs(`utimesSync(args.game, 0, 0)`), REFUSED],
  'connect by TCP': [
    net(`(await import('node:net')).connect(args.port, '127.0.0.1')`, 'connect'),
    REFUSED,
  ],
  'listen for TCP': [
    net(`(await import('node:net')).createServer().listen(0, '127.0.0.1')`, 'listening'),
    REFUSED,
  ],
  'open a UDP socket': [
    net(`(await import('node:dgram')).createSocket('udp4').bind(0)`, 'listening'),
    REFUSED,
  ],
  'connect to a unix socket': [
    net(`(await import('node:net')).connect(args.socket)`, 'connect'),
    REFUSED,
  ],
  'connect to an abstract socket': [
    net(`(await import('node:net')).connect('\\0' + args.abstract)`, 'connect'),
    REFUSED,
  ],
  'listen on a unix socket': [
    net(`(await import('node:net')).createServer().listen(args.folder + '/socket')`, 'listening'),
    REFUSED,
  ],
  'resolve a name': [
    `return (await import('node:dns/promises')).resolve('localhost')`,
    ['ECONNREFUSED', ...REFUSED],
  ],
  'run a program': [
    `return (await import('node:child_process')).execFileSync('/bin/true')`,
    REFUSED,
  ],
  'start a process': [
    `const child = (await import('node:child_process')).fork(args.game);
     return new Promise((resolve, reject) => child.on('error', reject).on('spawn', resolve));`,
    REFUSED,
  ],
  'start a thread': [
    `new (await import('node:worker_threads')).Worker('', { eval: true })`,
    ['ERR_WORKER_INIT_FAILED'],
  ],
  'signal the TV': [`return process.kill(args.pid, 0)`, REFUSED],
  'kill a process beside it': [`return process.kill(args.sibling, 'SIGKILL')`, REFUSED],
  'kill its process group': [`return process.kill(0, 'SIGKILL')`, REFUSED],
  'kill all processes': [`return process.kill(-1, 'SIGKILL')`, REFUSED],
  'start the inspector of the TV': [
    `return process._debugProcess(args.pid)`,
    [...REFUSED, 'Operation not permitted'],
  ],
  'change the priority of the TV': [
    `return (await import('node:os')).setPriority(args.pid, 19)`,
    ['ERR_SYSTEM_ERROR', ...REFUSED],
  ],
  'become another user': [
    `return process.setuid(1)`,
    ['ERR_INVALID_STATE', ...REFUSED], // the former where libuv might use io_uring
  ],
  'load a native addon': [`process.dlopen({ exports: {} }, args.addon)`, ['ERR_DLOPEN_FAILED']],
  'open a file by process.binding': [
    `const { error } = console; console.error = () => {};
     return process.binding('fs').open('/etc/passwd', 0, 0);`,
    REFUSED,
  ],
  'write a heap snapshot': [
    `return (await import('node:v8')).writeHeapSnapshot()`,
    [...REFUSED, 'ERR_FS_FILE_ACCESS'],
  ],
};

for (const kind of ['zygote', 'process']) {
  describe(`a locked worker of the ${kind} engine`, { skip }, async () => {
    if (skip) return;
    const stranger = await makeStranger(kind);
    const { folder, outside } = stranger;
    const token = join(outside, 'token');
    const game = join(folder, 'game.mjs');
    const link = join(folder, 'link');
    const addon = join(folder, 'addon.node');
    const socket = join(outside, 'socket');
    const abstract = `pitv-lock-test-${kind}-${process.pid}`;

    test('gets nothing of what it tries', async (t) => {
      writeFileSync(token, 'secret');
      symlinkSync(token, link);
      copyFileSync(join(folder, 'raw-calls.node'), addon); // the original is loaded already
      const servers = [0, socket, `\0${abstract}`].map((at) => createServer().listen(at));
      t.after(() => servers.map((server) => server.close()));
      await Promise.all(servers.map((server) => server.listening || once(server, 'listening')));
      const sibling = spawn('sleep', ['1000']);
      t.after(() => sibling.kill());
      const { port } = /** @type {import('node:net').AddressInfo} */ (servers[0].address());
      const before = readdirSync(folder);
      const args = { folder, token, game, link, addon, socket, abstract, port };
      const pids = { pid: process.pid, sibling: sibling.pid };
      const sources = Object.fromEntries(
        Object.entries(ATTEMPTS).map(([name, [source]]) => [name, source]),
      );
      const { outcomes, worker } = await stranger.attempt(t, sources, { ...args, ...pids });
      for (const [name, [, codes]] of Object.entries(ATTEMPTS)) {
        const { value, error } = outcomes[name];
        assert.ok(error && codes.includes(error), `${name}: ${JSON.stringify({ value, error })}`);
      }
      assert.deepEqual(readdirSync(folder), before);
      assert.equal(readFileSync(token, 'utf8'), 'secret');
      assert.equal(sibling.exitCode ?? sibling.signalCode, null);
      assert.equal((await worker.stop()).reason, 'stopped');
    });

    test('sees no variable of the environment', async (t) => {
      process.env.PITV_TEST_SECRET = 'secret';
      t.after(() => delete process.env.PITV_TEST_SECRET);
      const { outcomes } = await stranger.attempt(t, { env: 'return Object.keys(process.env)' });
      assert.deepEqual(outcomes.env.value, process.env.NODE_ENV ? ['NODE_ENV'] : []);
    });

    test('reads its package, compiles WebAssembly and uses the thread pool', async (t) => {
      const wasm = 'new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])';
      const { outcomes } = await stranger.attempt(
        t,
        {
          read: `return (await import('node:fs/promises')).readFile(args.game, 'utf8')`,
          import: `return Object.keys(await import(args.game + '?again'))`,
          compile: `return String(await WebAssembly.compile(${wasm}))`,
          compileNow: `return String(new WebAssembly.Module(${wasm}))`,
          context: `return (await import('node:vm')).runInNewContext('1 + 1')`,
          random: `return (await import('node:crypto')).randomBytes(8).length`,
        },
        { game },
      );
      assert.equal(outcomes.read.value, readFileSync(game, 'utf8'));
      assert.deepEqual(outcomes.import.value, ['default', 'sizes']);
      assert.equal(outcomes.compile.value, '[object WebAssembly.Module]');
      assert.equal(outcomes.compileNow.value, '[object WebAssembly.Module]');
      assert.equal(outcomes.context.value, 2);
      assert.equal(outcomes.random.value, 8);
    });

    test('sees only its package, and pitv where that has to be loaded', async (t) => {
      const source = `
        const { existsSync, readdirSync } = await import('node:fs');
        return args.map((path) => [path, existsSync(path)]);`;
      const args = [folder, outside, '/etc/passwd', '/proc/self', process.execPath, '/tmp/none'];
      const { outcomes, worker } = await stranger.attempt(t, { source }, args);
      const [, root] =
        /^\d+ \d+ \S+ \S+ \/ \S+.* - (\S+)/m.exec(
          readFileSync(`/proc/${worker.pid}/mountinfo`, 'utf8'),
        ) ?? [];
      if (root !== 'tmpfs') return t.skip('this machine refuses namespaces');
      /** @type {[string, boolean][]} */
      const found = outcomes.source.value;
      const seen = found.filter(([, exists]) => exists).map(([path]) => path);
      assert.deepEqual(seen, [folder]);
    });

    test('that closes its descriptors is killed', async (t) => {
      const engine = await stranger.open(t);
      assert.ok(engine);
      const source = `
        const { closeSync } = await import('node:fs');
        for (let fd = 3; fd < 64; fd++) try { closeSync(fd) } catch {}
        for (;;);`;
      const code = `export const sizes = {}; export default { async start() { ${source} } }`;
      const start = engine.start(`data:text/javascript,${encodeURIComponent(code)}`, {
        sizes: { inputSlots: 1, frameBytes: 64, checkpointBytes: 64 },
        lock: { readable: [] },
      });
      await until(() => engine.workers[0]?.pid, 'its process runs');
      const { pid } = engine.workers[0];
      await assert.rejects(start);
      assert.throws(() => process.kill(pid, 0), { code: 'ESRCH' });
    });

    test('cannot open the inspector', async (t) => {
      const source = `(await import('node:inspector')).open(0); return 'open'`;
      const attempt = stranger.attempt(t, { source }).then(({ outcomes }) => outcomes.source);
      const outcome = await attempt.catch(({ details }) => ({ error: details.signal }));
      assert.notEqual(outcome.error, undefined);
    });
  });
}
