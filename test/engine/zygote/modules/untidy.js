/**
 * A module that leaves open everything that a module can leave open. In its children, probes report what is still open.
 * Each probe sends its result, unless it ends the process.
 */
import { execFileSync, spawn } from 'node:child_process';
import crypto, { randomInt, randomUUID } from 'node:crypto';
import dgram from 'node:dgram';
import dns from 'node:dns/promises';
import { once } from 'node:events';
import fs from 'node:fs';
import fsp from 'node:fs/promises';
import http from 'node:http';
import inspector from 'node:inspector';
import net from 'node:net';
import os from 'node:os';
import { performance } from 'node:perf_hooks';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import zlib from 'node:zlib';

/** @type {Record<string, any>} what the zygote did, as its children find it */
const left = { ticks: 0, signals: 0 };

/** @param {{socketPath: string, file: string}} args @param {{keep: (fd: number) => void}} zygote */
export async function warm({ socketPath, file }, { keep }) {
  setInterval(() => left.ticks++, 1);
  setInterval(() => left.ticks++, 1).unref();
  setTimeout(() => left.ticks++, 20);
  setImmediate(function again() {
    left.ticks++;
    setImmediate(again);
  });

  const tcp = net.createServer((socket) => socket.end('zygote')).listen(0, '127.0.0.1');
  await once(tcp, 'listening');
  left.port = /** @type {net.AddressInfo} */ (tcp.address()).port;
  const unreferenced = net.createServer().listen(0, '127.0.0.1').unref();
  await once(unreferenced, 'listening');
  await once(net.createServer().listen(socketPath), 'listening');
  await once(dgram.createSocket('udp4').bind(0, '127.0.0.1'), 'listening');
  fs.watch(os.tmpdir());
  net.connect(left.port, '127.0.0.1').on('error', () => {});
  left.sleeper = spawn('sleep', ['100'], { stdio: ['pipe', 'ignore', 'ignore'] }).pid;
  process.on('SIGUSR2', () => left.signals++);
  process.on('SIGTERM', () => left.signals++);

  left.strayFd = fs.openSync(file, 'r');
  left.keptFd = fs.openSync(file, 'r');
  keep(left.keptFd);

  const server = http.createServer((_, response) => response.end('warm')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {net.AddressInfo} */ (server.address());
  const answer = await fetch(`http://127.0.0.1:${port}/`);
  left.date = answer.headers.get('date');
  await answer.text();

  left.drawn = [Math.random(), randomUUID(), globalThis.crypto.randomUUID(), randomInt(2 ** 40)];
  process.stdout.write('');
  console.error('zygote was here');
}

/** @type {Record<string, (value: any, worker: any) => any>} */
const probes = {
  identity: () => ({
    pid: process.pid,
    ppid: process.ppid,
    title: process.title,
    command: fs.readFileSync('/proc/self/cmdline', 'latin1').split('\0')[0],
    comm: fs.readFileSync('/proc/self/comm', 'latin1').trim(),
    self: Number(fs.readlinkSync('/proc/self')),
    mainThread: os.getPriority(0),
    execArgv: process.execArgv,
  }),
  random: () => ({
    math: Array.from({ length: 100 }, Math.random),
    bytes: crypto.randomBytes(8).toString('hex'),
    uuids: [randomUUID(), crypto.randomUUID(), globalThis.crypto.randomUUID()],
    ints: Array.from({ length: 4 }, () => randomInt(2 ** 40)),
    values: Array.from(globalThis.crypto.getRandomValues(new Uint32Array(2))),
  }),
  async clocks() {
    const entries = {
      timeOrigin: performance.timeOrigin,
      now: performance.now(),
      date: Date.now(),
      uptime: process.uptime(),
      mark: performance.mark('first').startTime,
      json: performance.toJSON().timeOrigin,
    };
    const began = process.hrtime.bigint();
    await new Promise((resolve) => setTimeout(resolve, 30));
    const waitedMs = Number(process.hrtime.bigint() - began) / 1e6;
    const measure = performance.measure('since', 'first');
    const { startTime, duration } = performance.measure('all');
    return { ...entries, waitedMs, measured: measure.duration, whole: { startTime, duration } };
  },
  async left() {
    const ticks = left.ticks;
    await new Promise((resolve) => setTimeout(resolve, 60));
    return {
      ticked: left.ticks - ticks,
      handles: Reflect.get(process, '_getActiveHandles').call(process).length,
      resources: process.getActiveResourcesInfo(),
      signals: ['SIGUSR2', 'SIGTERM'].map((signal) => process.listenerCount(signal)),
      descriptors: fs
        .readdirSync('/proc/self/fd')
        .filter((fd) => Number(fd) > 2)
        .map((fd) => attempt(() => fs.readlinkSync(`/proc/self/fd/${fd}`))),
      port: left.port,
      sleeper: left.sleeper,
    };
  },
  kept: () => [left.keptFd, left.strayFd].map((fd) => attempt(() => fs.readFileSync(fd, 'utf8'))),
  date: async () => {
    const server = http.createServer((_, response) => response.end()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = /** @type {net.AddressInfo} */ (server.address());
    const response = await fetch(`http://127.0.0.1:${port}/`);
    server.closeAllConnections();
    server.close();
    return { zygote: left.date, child: response.headers.get('date') };
  },
  async works() {
    /** @type {Record<string, any>} */
    const done = {};
    await fsp.writeFile(`${os.tmpdir()}/pitv-${process.pid}`, 'text');
    done.fs = await fsp.readFile(`${os.tmpdir()}/pitv-${process.pid}`, 'utf8');
    await fsp.rm(`${os.tmpdir()}/pitv-${process.pid}`);
    done.dns = (await dns.lookup('localhost')).address;
    done.execFileSync = execFileSync('echo', ['sync'], { encoding: 'utf8' }).trim();
    const child = spawn(process.execPath, ['-p', 'process.execArgv.join()'], { stdio: 'pipe' });
    const [said, [code]] = await Promise.all([text(child.stdout), once(child, 'close')]);
    done.spawn = [code, said.trim()];
    done.scrypt =
      (await promisify(crypto.scrypt)('a', 'b', 8)).toString('hex') ===
      crypto.scryptSync('a', 'b', 8).toString('hex');
    done.zlib = String(await promisify(zlib.gunzip)(await promisify(zlib.gzip)('zipped')));
    const bytes = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 127, 3, 2, 1, 0, 7,
      5, 1, 1, 102, 0, 0, 10, 6, 1, 4, 0, 65, 42, 11]); // prettier-ignore
    done.wasm = [
      /** @type {any} */ (new WebAssembly.Instance(new WebAssembly.Module(bytes))).exports.f(),
      /** @type {any} */ ((await WebAssembly.instantiate(bytes)).instance).exports.f(),
    ];
    done.thread = await new Promise((resolve, reject) => {
      const source = `const { parentPort, workerData } = require('node:worker_threads');
        setTimeout(() => parentPort.postMessage(workerData * 2), 5)`;
      const thread = new Worker(source, { eval: true, workerData: 21 });
      thread.once('message', (value) => thread.once('exit', () => resolve(value)));
      thread.once('error', reject);
    });
    const server = http.createServer((_, response) => response.end('hello')).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = /** @type {net.AddressInfo} */ (server.address());
    done.http = await (await fetch(`http://127.0.0.1:${port}/`)).text();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    done.signal = await new Promise((resolve) => {
      process.once('SIGUSR2', () => resolve('came'));
      process.kill(process.pid, 'SIGUSR2');
    });
    done.watch = await new Promise((resolve) => {
      const folder = fs.mkdtempSync(`${os.tmpdir()}/pitv-watch-`);
      const watcher = fs.watch(folder, (_, name) => {
        watcher.close();
        fs.rmSync(folder, { recursive: true });
        resolve(name);
      });
      fs.writeFileSync(`${folder}/new`, '');
    });
    done.imported = typeof (await import('node:readline')).createInterface;
    const dynamic = 'data:text/javascript,export default 7';
    done.dynamic = (await import(dynamic)).default;
    return done;
  },
  inspector: () => attempt(() => inspector.open(0)),
  limits: () => ({
    niceness: os.getPriority(0),
    cpus: /^Cpus_allowed_list:\s+(.*)/m.exec(fs.readFileSync('/proc/self/status', 'latin1'))?.[1],
  }),
  hoard() {
    const hoard = [];
    for (let i = 0; i < 64; i++) hoard.push(new Uint8Array(8 << 20).fill(1));
    return hoard.length;
  },
  stdio() {
    console.log('to stdout');
    console.error('to stderr');
    process.stdout.write('more\n');
    return text(process.stdin);
  },
  echo: (value) => value,
  many: (count, worker) => {
    for (let i = 0; i < count; i++) worker.send(i);
  },

  // Ways to end.
  exit(code) {
    process.exit(code);
  },
  exitCode(code) {
    process.exitCode = code;
  },
  exitListener(_, worker) {
    process.on('exit', (code) => worker.send({ leaving: code, exitCode: process.exitCode }));
    process.on('beforeExit', () => worker.send('beforeExit'));
    process.once('exit', () => (process.exitCode = 9));
  },
  uncaught() {
    setTimeout(() => {
      throw new TypeError('nobody catches this');
    }, 1);
  },
  beforeExitThrows() {
    process.on('beforeExit', () => {
      throw new TypeError('nobody catches this either');
    });
  },
  rejected() {
    Promise.reject(new RangeError('nobody handles this'));
  },
  caught(_, worker) {
    process.on('uncaughtException', (error, origin) => worker.send([error.message, origin]));
    setTimeout(() => {
      throw new Error('somebody catches this');
    }, 1);
  },
  handlerThrows() {
    process.on('uncaughtException', () => {
      throw new Error('handler');
    });
    setTimeout(() => {
      throw new Error('first');
    }, 1);
  },
  abort() {
    process.abort();
  },
  kill(signal) {
    process.kill(process.pid, signal);
    return new Promise(() => setInterval(() => {}, 1000));
  },
  stay() {
    setInterval(() => {}, 1000);
  },
  spin() {
    for (;;);
  },
};

/** @param {() => any} action */
function attempt(action) {
  try {
    return action();
  } catch (error) {
    return Reflect.get(Object(error), 'code');
  }
}

/** @param {{probe: string, value?: any}} args @param {any} worker */
export default async function run({ probe, value }, worker) {
  if (probe === 'talk') {
    worker.on('message', (/** @type {any} */ message) => {
      if (message === 'end') worker.removeAllListeners('message');
      else worker.send(message);
    });
    worker.on('disconnect', () => process.exit(0));
    return;
  }
  const result = await probes[probe](value, worker);
  if (result !== undefined) worker.send(result);
}
