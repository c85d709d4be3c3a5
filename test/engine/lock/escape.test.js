/** What code of a stranger tries in a locked worker. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe } from 'node:test';
import { until } from '../helpers.js';
import { setVariable } from '../../support/tv.js';
import { makeStranger, skip } from './helpers.js';
import { buildWithoutCode } from './raw-calls.js';

/** By the lock, or because the path does not exist in the worker's view, which is read-only. */
const REFUSED = ['EACCES', 'EPERM', 'ENOENT', 'EROFS'];

/** @param {string} path an expression */
const readFile = (path) => `return (await import('node:fs')).readFileSync(${path}, 'latin1')`;
/** @param {string} call of node:fs */
const fs = (call) => `return (await import('node:fs')).${call}`;
/** Waits for a socket's first event. @param {string} socket an expression @param {string} event of success */
const net = (socket, event) =>
  `const node = { net: await import('node:net'), dgram: await import('node:dgram') };
   const socket = ${socket};
   return new Promise((resolve, reject) => socket.on('error', reject).on('${event}', resolve));`;

/** Pieces of source code that a locked worker must not get through. @type {Record<string, string>} */
const ATTEMPTS = {
  'read /etc/passwd': readFile(`'/etc/passwd'`),
  'read it on a thread of the pool': `return (await import('node:fs/promises')).readFile('/etc/passwd')`,
  'read the admin token': readFile('args.token'),
  'read it by a symbolic link in the package': readFile('args.link'),
  'read it by a path through the package': readFile('args.folder + "/../data/token"'),
  'list a folder': fs(`readdirSync('/')`),
  'watch a folder': fs(`watch(args.folder)`),
  'read the memory of this process': readFile(`'/proc/self/mem'`),
  'read the memory of the TV': readFile(`'/proc/' + args.pid + '/mem'`),
  'read the environment of the TV': readFile(`'/proc/' + args.pid + '/environ'`),
  'read the environment of its process': readFile(`'/proc/self/environ'`),
  'read the descriptors of the TV': fs(`readlinkSync('/proc/' + args.pid + '/fd/0')`),
  'write in the package': fs(`writeFileSync(args.folder + '/new', '')`),
  'write to an existing file': fs(`writeFileSync(args.token, '')`),
  'fill the memory by a file': fs(`writeFileSync('/dev/shm/' + args.abstract, '')`),
  'truncate a file': fs(`truncateSync(args.game, 0)`),
  'truncate a file by opening it': fs(`openSync(args.game, 0o1000)`),
  'make a folder': fs(`mkdirSync(args.folder + '/new')`),
  'rename a file': fs(`renameSync(args.game, args.game + '2')`),
  'remove a file': fs(`unlinkSync(args.game)`),
  'make a link': fs(`linkSync(args.game, args.game + '2')`),
  'make a symbolic link': fs(`symlinkSync(args.game, args.game + '2')`),
  'change the mode of a file': fs(`chmodSync(args.game, 0o777)`),
  'change the times of a file': fs(`utimesSync(args.game, 0, 0)`),
  'connect by TCP': net(`node.net.connect(args.port, '127.0.0.1')`, 'connect'),
  'listen for TCP': net(`node.net.createServer().listen(0, '127.0.0.1')`, 'listening'),
  'open a UDP socket': net(`node.dgram.createSocket('udp4').bind(0)`, 'listening'),
  'connect to a unix socket': net(`node.net.connect(args.socket)`, 'connect'),
  'connect to an abstract socket': net(`node.net.connect('\\0' + args.abstract)`, 'connect'),
  'listen on a unix socket': net(
    `node.net.createServer().listen(args.folder + '/socket')`,
    'listening',
  ),
  'resolve a name': `return (await import('node:dns/promises')).resolve('localhost')`,
  'run a program': `return (await import('node:child_process')).execFileSync('/bin/true')`,
  'start a process': `const child = (await import('node:child_process')).fork(args.game);
    return new Promise((resolve, reject) => child.on('error', reject).on('spawn', resolve));`,
  'start a thread': `new (await import('node:worker_threads')).Worker('', { eval: true })`,
  'signal the TV': `return process.kill(args.pid, 0)`,
  'kill a process beside it': `return process.kill(args.sibling, 'SIGKILL')`,
  'kill its process group': `return process.kill(0, 'SIGKILL')`,
  'kill all processes': `return process.kill(-1, 'SIGKILL')`,
  'start the inspector of the TV': `return process._debugProcess(args.pid)`,
  'change the priority of the TV': `return (await import('node:os')).setPriority(args.pid, 19)`,
  'become another user': `return process.setuid(1)`,
  'load a native addon': `process.dlopen({ exports: {} }, args.addon)`,
  'load an addon without code': `process.dlopen({ exports: {} }, args.noCode)`,
  'open a file by process.binding': `const { error } = console; console.error = () => {};
    return process.binding('fs').open('/etc/passwd', 0, 0);`,
  'write a heap snapshot': `return (await import('node:v8')).writeHeapSnapshot()`,
};

/** Codes that attempts may also get. @type {Record<string, string[]>} */
const OTHER_CODES = {
  'resolve a name': ['ECONNREFUSED'],
  'start a thread': ['ERR_WORKER_INIT_FAILED'],
  'start the inspector of the TV': ['Operation not permitted'],
  'change the priority of the TV': ['ERR_SYSTEM_ERROR'],
  'become another user': ['ERR_INVALID_STATE'], // where libuv might use io_uring
  'load a native addon': ['ERR_DLOPEN_FAILED'],
  'load an addon without code': ['ERR_DLOPEN_FAILED'],
  'write a heap snapshot': ['ERR_FS_FILE_ACCESS'],
};

for (const kind of ['zygote', 'process']) {
  describe(`a locked worker of the ${kind} engine`, { skip }, async () => {
    if (skip) return;
    const { folder, outside, test, attempt } = await makeStranger(kind);
    const token = join(outside, 'token');
    const game = join(folder, 'game.mjs');
    const link = join(folder, 'link');
    const addon = join(folder, 'addon.node');
    const noCode = buildWithoutCode(folder);
    const socket = join(outside, 'socket');
    const abstract = `pitv-lock-test-${kind}-${process.pid}`;

    test('gets nothing of what it tries', async (engine, t) => {
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
      const args = { folder, token, game, link, addon, noCode, socket, abstract, port };
      const pids = { pid: process.pid, sibling: sibling.pid };
      const { outcomes, worker } = await attempt(engine, ATTEMPTS, { ...args, ...pids });
      assert.deepEqual(Object.keys(outcomes), Object.keys(ATTEMPTS));
      for (const [name, { value, error }] of Object.entries(outcomes)) {
        const codes = [...REFUSED, ...(OTHER_CODES[name] ?? [])];
        assert.ok(error && codes.includes(error), `${name}: ${JSON.stringify({ value, error })}`);
      }
      assert.deepEqual(readdirSync(folder), before);
      assert.equal(readFileSync(token, 'utf8'), 'secret');
      assert.equal(sibling.exitCode ?? sibling.signalCode, null);
      assert.equal((await worker.stop()).reason, 'stopped');
    });

    test('sees no variable of the environment', async (engine, t) => {
      setVariable(t, 'PITV_TEST_SECRET', 'secret');
      const { outcomes } = await attempt(engine, { env: 'return Object.keys(process.env)' });
      assert.deepEqual(outcomes.env.value, process.env.NODE_ENV ? ['NODE_ENV'] : []);
    });

    test('reads its package, compiles WebAssembly and uses the thread pool', async (engine) => {
      const wasm = 'new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])';
      const { outcomes } = await attempt(
        engine,
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

    test('sees only its package, and pitv where that has to be loaded', async (engine, t) => {
      const source = `
        const { existsSync, readdirSync } = await import('node:fs');
        return args.map((path) => [path, existsSync(path)]);`;
      const args = [folder, outside, '/etc/passwd', '/proc/self', process.execPath, '/tmp/none'];
      const { outcomes, worker } = await attempt(engine, { source }, args);
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

    test('that closes its descriptors is killed', async (engine) => {
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

    test('cannot open the inspector', async (engine) => {
      const source = `(await import('node:inspector')).open(0); return 'open'`;
      const { error } = await attempt(engine, { source }).then(
        ({ outcomes }) => outcomes.source,
        ({ details }) => ({ error: details.signal }),
      );
      assert.notEqual(error, undefined);
    });
  });
}
