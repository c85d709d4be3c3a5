import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { silentLog } from '../../app/log.js';
import { Service, createService } from '../../app/system/service.js';
import { raiseOomScore } from '../../app/engine/worker/process-setup.js';
import { onlyLong } from '../support/extent.js';
import { ServeChild } from '../support/serve.js';
import { poll } from '../support/polling.js';
import { temporaryFolder } from '../support/tv.js';

const LARGE_HEAP = fileURLToPath(new URL('../support/large-heap.cjs', import.meta.url));

/** @param {Partial<ConstructorParameters<typeof Service>[0]>} [parts] */
function makeService(parts) {
  /** @type {string[]} */
  const told = [];
  const send = (/** @type {string} */ to, /** @type {string} */ text) =>
    told.push(`${to}: ${text}`);
  const service = new Service({ socket: '/s', watchdogMs: 0, log: silentLog, send, ...parts });
  return { service, told };
}

test('ready, status and stopping are sent, and an unchanged status is sent once', () => {
  const { service, told } = makeService();
  service.ready('up');
  service.status('up');
  service.status('1 match');
  service.stopping();
  assert.deepEqual(told, ['/s: READY=1\nSTATUS=up', '/s: STATUS=1 match', '/s: STOPPING=1']);
});

test('the watchdog is fed three times per period until close()', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const { service, told } = makeService({ watchdogMs: 3000 });
  t.mock.timers.tick(9000);
  assert.equal(told.length, 0, 'not before it is ready');
  service.ready('up');
  told.length = 0;
  t.mock.timers.tick(3000);
  service.stopping();
  t.mock.timers.tick(1000);
  service.close();
  t.mock.timers.tick(9000);
  assert.equal(told.filter((text) => text.includes('WATCHDOG=1')).length, 4);
});

test('without a manager nothing is sent, and a manager that has ended causes no error', () => {
  const none = makeService({ socket: '' });
  none.service.ready('up');
  assert.deepEqual(none.told, []);
  const gone = makeService({
    send() {
      throw new Error('ENOENT');
    },
  });
  gone.service.ready('up');
});

test('the variables are removed from the environment; a watchdog of another process is ignored', () => {
  const env = { NOTIFY_SOCKET: '@x', WATCHDOG_USEC: '30000000', WATCHDOG_PID: '1', PATH: '/bin' };
  createService(env, silentLog, 2);
  assert.deepEqual(env, { PATH: '/bin' });
});

/**
 * A service manager: the socket of sd_notify(3), and a watchdog that is as strict as systemd's. Node.js has no datagram
 * sockets of AF_UNIX.
 */
const PROGRAM = `
import re, select, socket, sys, time
path, limit = sys.argv[1], int(sys.argv[2]) / 1e6
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(path)
print("bound")
deadline = None
while True:
    wait = None if deadline is None else max(0, deadline - time.monotonic())
    if not select.select([s], [], [], wait)[0]:
        print("STARVED")
        deadline = None
        continue
    text = s.recv(4096).decode()
    now = time.monotonic()
    changed = re.search(r"WATCHDOG_USEC=(\\d+)", text)
    if changed: limit = int(changed[1]) / 1e6
    if "WATCHDOG=1" in text: deadline = now + limit
    print(round(now * 1000), text.replace("\\n", " "))
`;

/** Records notifications, and whether the watchdog expired. */
class ServiceManager {
  heard = '';
  /** @type {import('node:child_process').ChildProcess | undefined} */
  #service;
  /** @type {Error | undefined} */
  #ended;

  /** @param {import('node:test').TestContext} t @param {string} path of the socket @param {number} watchdogUsec */
  constructor(t, path, watchdogUsec) {
    const child = spawn('python3', ['-uc', PROGRAM, path, String(watchdogUsec)]);
    t.after(() => child.kill('SIGKILL'));
    child.stdout.setEncoding('utf8').on('data', (text) => {
      this.heard += text;
      if (this.heard.includes('STARVED')) this.#service?.kill('SIGKILL');
    });
    this.env = { NOTIFY_SOCKET: path, WATCHDOG_USEC: String(watchdogUsec) };
  }

  /**
   * Ends the service when its watchdog starves, as systemd does. When it has ended, nothing is waited for.
   * @param {import('node:child_process').ChildProcess} service
   */
  watch(service) {
    this.#service = service;
    service.once('exit', (code, signal) => {
      const how = code ?? signal;
      this.#ended = new Error(`The service ended with ${how}; the manager heard: ${this.heard}`);
    });
  }

  /** Waits for a text. @param {string} text @returns {Promise<string>} everything that was heard so far */
  async hears(text) {
    await poll(() => this.heard.includes(text) || this.#ended, Infinity);
    if (!this.heard.includes(text)) throw this.#ended;
    return this.heard;
  }
}

/**
 * Starts a TV as a service.
 * @param {import('node:test').TestContext} t @param {number} watchdogUsec
 * @param {NodeJS.ProcessEnv} [env] more of it
 */
async function startService(t, watchdogUsec, env) {
  const manager = new ServiceManager(t, join(temporaryFolder(), 'notify'), watchdogUsec);
  await manager.hears('bound');
  const tv = new ServeChild({ args: ['--engine', 'thread'], env: { ...manager.env, ...env } });
  t.after(() => tv.stop('SIGKILL'));
  const started = tv.start();
  manager.watch(tv.child);
  await started;
  await manager.hears('READY=1 STATUS=http://127.0.0.1');
  return { manager, tv };
}

const skip = spawnSync('python3', ['-c', 'import socket']).status !== 0 && 'python3 is missing';
test('pitv serve notifies a real socket: ready, alive and stopping', { skip }, async (t) => {
  const { manager, tv } = await startService(t, 600_000);
  await manager.hears('WATCHDOG=1');
  const environment = await readFile(`/proc/${tv.pid}/environ`, 'utf8');
  assert.match(environment, /NOTIFY_SOCKET/, 'the variable was set');
  tv.child.kill('SIGTERM');
  await manager.hears('STOPPING=1');
  await tv.ended();
  assert.equal(tv.child.exitCode, 0);
});

test('a long heap snapshot does not starve the watchdog', { skip: onlyLong || skip }, async (t) => {
  const watchdogMs = 1000;
  const { manager, tv } = await startService(t, watchdogMs * 1000, {
    NODE_OPTIONS: `--require ${LARGE_HEAP}`,
  });
  await manager.hears('WATCHDOG=1');
  manager.heard = ''; // only the messages after the start matter
  const body = { target: 'main', kind: 'heap' };
  const answer = await tv.ask('/api/profiles', { method: 'POST', body });
  assert.equal(answer.status, 200);
  await answer.arrayBuffer();
  const heard = await manager.hears(`WATCHDOG_USEC=${watchdogMs * 1000} `);
  const [, from] = /^(\d+) WATCHDOG_USEC=600000000 WATCHDOG=1$/m.exec(heard) ?? [];
  const [, to] = /^(\d+) WATCHDOG_USEC=1000000 WATCHDOG=1$/m.exec(heard) ?? [];
  assert.ok(Number(to) - Number(from) > watchdogMs, `it took ${Number(to) - Number(from)} ms`);
  assert.doesNotMatch(heard, /STARVED/);
  tv.child.kill('SIGTERM');
  await tv.ended();
  assert.equal(tv.child.exitCode, 0);
});

test('no snapshot is taken if the manager cannot be notified', (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] });
  let gone = false;
  const { service } = makeService({
    watchdogMs: 3000,
    send() {
      if (gone) throw new Error('EAGAIN');
    },
  });
  service.extendWatchdog(1)(); // before it is ready nothing watches
  service.ready('up');
  gone = true;
  assert.throws(() => service.extendWatchdog(600_000), { code: 'PITV_WATCHDOG' });
  service.close();
});

test('a worker raises its own OOM score, and a system without OOM scores causes no error', async () => {
  const file = join(temporaryFolder(), 'oom_score_adj');
  raiseOomScore(file);
  assert.equal(await readFile(file, 'utf8'), '500');
  raiseOomScore('/nonexistent/file');
});
