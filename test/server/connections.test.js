/** Tests limits on connections, clients that do not answer, and a TV without free descriptors. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { connect as connectTcp } from 'node:net';
import test from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Connection } from '../../app/server/connection.js';
import { Counters } from '../../app/server/metrics.js';
import { startServe } from '../support/serve.js';
import { Client, faultyGame, startTv, until } from '../support/tv.js';
import { dropped, refusedStatus } from './refusals.js';

const games = [faultyGame];

test('a client without a hello is disconnected', async (t) => {
  const tv = await startTv(t, { games, times: { helloMs: 50 } });
  const silent = await Client.connect(tv);
  assert.equal((await silent.whenClosed()).code, 4001);
});

test('a client that answers no ping is disconnected', async (t) => {
  const tv = await startTv(t, { games, times: { heartbeatMs: 20, deadMs: 300 } });
  const alive = await Client.screen(tv);
  const dead = await Client.pad(tv);
  dead.socket.pause(); // it reads nothing, and therefore answers no ping
  await alive.next('lobby', (message) => message.players[0]?.connected === false);
  assert.equal(alive.closed, undefined);
  assert.equal(await dropped(tv, 'dead'), 1);
  dead.vanish();
});

test('a client that answers a ping late gets no frame until it has read all earlier ones', () => {
  /** @type {Buffer[]} */
  const pings = [];
  const socket = Object.assign(new EventEmitter(), {
    OPEN: 1,
    readyState: 1,
    bufferedAmount: 0,
    send() {},
    ping: (/** @type {Buffer} */ payload) => pings.push(payload),
  });
  const connection = new Connection(/** @type {any} */ (socket), '127.0.0.1', new Counters());
  const start = Math.floor(performance.now()); // sums of whole numbers are exact
  assert.ok(connection.hasRoom(start));
  connection.sendFrame(Buffer.alloc(1), start);
  connection.sendFrame(Buffer.alloc(1), start);
  assert.ok(connection.hasRoom(start + 250));
  assert.ok(!connection.hasRoom(start + 251));
  socket.emit('pong', pings[0]);
  assert.ok(!connection.hasRoom(start), 'it may not have read the second frame');
  socket.emit('pong', pings[1]);
  assert.ok(connection.hasRoom(start));
  connection.sendFrame(Buffer.alloc(1), start + 60_000);
  connection.sendFrame(Buffer.alloc(1), start + 60_000);
  socket.emit('pong', pings[2]);
  assert.equal(pings.length, 3, 'it was in time, so it need not show that it has read the rest');
});

test('the number of idle sockets is limited', async (t) => {
  const tv = await startTv(t, { games, args: ['--max-clients-per-address', '2'] });
  const sockets = Array.from({ length: 90 }, () => connectTcp(tv.port, '127.0.0.1'));
  t.after(() => sockets.forEach((socket) => socket.destroy()));
  let ended = 0;
  for (const socket of sockets) socket.on('error', () => {}).on('close', () => ended++);
  await until(() => ended >= 24, 'the end of the sockets beyond 66');
  assert.equal(ended, 24);
  sockets.slice(0, 10).forEach((socket) => socket.destroy());
  const count = () => dropped(tv, 'socket-address').catch(() => 0); // fails while all sockets are taken
  await until(async () => (await count()) >= 24, 'the count of refused sockets');
});

test('the number of websockets is limited, in total and per address', async (t) => {
  const args = ['--max-clients-per-address', '2'];
  const tv = await startTv(t, { games, args });
  const first = await Client.connect(tv);
  await Client.connect(tv);
  assert.equal(await refusedStatus(tv), 429);
  first.vanish();
  await until(() => Client.connect(tv).catch(() => undefined), 'a free place');
  const small = await startTv(t, { games, args: ['--max-clients', '1'] });
  await Client.connect(small);
  assert.equal(await refusedStatus(small), 503);
});

const FEW = 3; // stdin, stdout and stderr
const WITHOUT_MS = 500;

test('a TV without free descriptors keeps running, and answers when it has some again', async (t) => {
  const serve = await startServe(t, '--engine', 'thread');
  const limit = (/** @type {string | number} */ descriptors) =>
    execFileSync('prlimit', [`--pid=${serve.pid}`, `--nofile=${descriptors}:`]);
  limit(FEW);
  const answers = Array.from(
    { length: 4 },
    async () => (await fetch(`${serve.url}/healthz`)).status,
  );
  await delay(WITHOUT_MS);
  limit('1024');
  assert.deepEqual(await Promise.all(answers), [200, 200, 200, 200], serve.log);
  assert.ok(serve.running);
});
