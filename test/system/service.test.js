import assert from 'node:assert/strict';
import { once } from 'node:events';
import { spawn, spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { silentLog } from '../../app/log.js';
import { Service, takeService } from '../../app/system/service.js';
import { preferAsVictim } from '../../app/engine/entry/victim.js';
import { temporaryFolder } from '../support/tv.js';

const CLI = fileURLToPath(new URL('../../app/cli.js', import.meta.url));

/** @param {Partial<ConstructorParameters<typeof Service>[0]>} [parts] */
function makeService(parts) {
  /** @type {string[]} */
  const told = [];
  const send = (/** @type {string} */ to, /** @type {string} */ text) =>
    told.push(`${to}: ${text}`);
  const service = new Service({ socket: '/s', watchdogMs: 0, log: silentLog, send, ...parts });
  return { service, told };
}

test('ready, status and stopping are told, a status once', () => {
  const { service, told } = makeService();
  service.ready('up');
  service.status('up');
  service.status('1 match');
  service.stopping();
  assert.deepEqual(told, ['/s: READY=1\nSTATUS=up', '/s: STATUS=1 match', '/s: STOPPING=1']);
});

test('the watchdog is fed three times within its time, until the end', (t) => {
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

test('nobody is told where there is no manager, and one that is gone does no harm', () => {
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

test('the variables are taken out of the environment; a watchdog of another process is not ours', () => {
  const env = { NOTIFY_SOCKET: '@x', WATCHDOG_USEC: '30000000', WATCHDOG_PID: '1', PATH: '/bin' };
  takeService(env, silentLog, 2);
  assert.deepEqual(env, { PATH: '/bin' });
});

test('pitv serve tells a real socket that it is up, alive and going off', async (t) => {
  if (spawnSync('python3', ['-c', 'import socket']).status !== 0)
    return t.skip('python3 is missing');
  const folder = await temporaryFolder(t);
  const path = join(folder, 'notify');
  // Node has no datagrams of AF_UNIX: python3 stands in for systemd.
  const manager = spawn('python3', [
    '-uc',
    'import socket,sys\ns=socket.socket(socket.AF_UNIX,socket.SOCK_DGRAM)\ns.bind(sys.argv[1])\nprint("bound")\nwhile True: print(s.recv(4096).decode().replace("\\n"," "))',
    path,
  ]);
  t.after(() => manager.kill('SIGKILL'));
  let heard = '';
  let look = () => {};
  manager.stdout.setEncoding('utf8').on('data', (text) => {
    heard += text;
    look();
  });
  /** @type {(error: Error) => void} */
  let giveUp = () => {};
  /** @param {string} text */
  const hears = (text) =>
    new Promise((/** @type {(value?: unknown) => void} */ resolve, reject) => {
      giveUp = reject;
      look = () => heard.includes(text) && resolve();
      look();
    });
  await hears('bound');
  const tv = spawn(
    process.execPath,
    [
      CLI,
      'serve',
      '--port',
      '0',
      '--host',
      '127.0.0.1',
      '--engine',
      'thread',
      '--data-dir',
      join(folder, 'data'),
    ],
    { stdio: 'ignore', env: { ...process.env, NOTIFY_SOCKET: path, WATCHDOG_USEC: '600000' } },
  );
  t.after(() => tv.kill('SIGKILL'));
  tv.once('exit', (code) => giveUp(new Error(`it ended with ${code}; heard: ${heard}`)));
  await hears('READY=1 STATUS=http://127.0.0.1');
  await hears('WATCHDOG=1');
  const environment = await readFile(`/proc/${tv.pid}/environ`, 'utf8');
  assert.match(environment, /NOTIFY_SOCKET/, 'it was given');
  const ended = once(tv, 'exit');
  tv.kill('SIGTERM');
  await hears('STOPPING=1');
  assert.deepEqual(await ended, [0, null]); // it writes into the folder until then
});

test('a worker raises its own OOM score, and a system without it does no harm', async (t) => {
  const file = join(await temporaryFolder(t), 'oom_score_adj');
  preferAsVictim(file);
  assert.equal(await readFile(file, 'utf8'), '500');
  preferAsVictim('/nonexistent/file');
});
