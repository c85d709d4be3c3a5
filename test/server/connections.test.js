/** Tests limits on connections and wrong codes, and clients that do not read or answer. */
import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { connect as connectTcp } from 'node:net';
import test from 'node:test';
import { Connection } from '../../app/server/connection.js';
import { Counters } from '../../app/server/counters.js';
import { decodeFrame } from '../support/decode-frame.js';
import { Client, faultyGame, metricsOf, startTv, until } from '../support/tv.js';
import { dropped, refusedStatus } from './refusals.js';

const games = [faultyGame];

test('after ten wrong codes an address is locked', async (t) => {
  const tv = await startTv(t, { games, code: 'BCDFG' });
  const guesser = await Client.connect(tv);
  for (let i = 0; i < 10; i++) {
    guesser.send({ t: 'hello', role: 'pad', code: `WRON${i}` });
    assert.equal((await guesser.next('error')).code, 'PITV_CODE_WRONG');
  }
  guesser.send({ t: 'hello', role: 'pad', code: 'BCDFG' });
  assert.equal((await guesser.next('error')).code, 'PITV_CODE_LOCKED');
  const other = await Client.connect(tv, { t: 'hello', role: 'pad', code: 'BCDFG' });
  assert.equal((await other.next('error')).code, 'PITV_CODE_LOCKED', 'also on another connection');
  const start = await fetch(`${tv.url}/api/matches`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ game: 'faulty', code: 'BCDFG' }),
  });
  assert.equal(start.status, 429, 'also over HTTP');
  assert.ok((await metricsOf(tv)).get('pitv_wrong_codes') === 10);
});

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
  await until(
    () =>
      refusedStatus(tv).then(
        () => false,
        () => true,
      ),
    'a free place',
  );
  const small = await startTv(t, { games, args: ['--max-clients', '1'] });
  await Client.connect(small);
  assert.equal(await refusedStatus(small), 503);
});

test('a screen that does not read gets no frames and does not delay other screens', async (t) => {
  const tv = await startTv(t, { args: ['--max-matches', '2'] });
  const slow = await Client.screen(tv);
  const quick = await Client.screen(tv);
  slow.send({ t: 'start', game: 'collide', options: { bodies: 5000 } });
  await slow.moreFrames(1);
  slow.socket.pause();
  const skipped = async () => (await metricsOf(tv)).get('pitv_frames_skipped_total') ?? 0;
  await until(async () => (await skipped()) > 0, 'skipped frames');
  const before = await skipped();
  await quick.moreFrames(60);
  assert.ok((await skipped()) >= before + 40, 'only the slow screen skips frames');
  const had = slow.frames;
  slow.socket.resume();
  await slow.until(() => slow.frames > had + 60, 'frames after the screen reads again');
  const { tick } = decodeFrame(/** @type {Buffer} */ (slow.frame));
  await quick.moreFrames(1);
  const { tick: now } = decodeFrame(/** @type {Buffer} */ (quick.frame));
  assert.ok(now - tick < 120, `the frames are recent: ${now - tick} ticks behind`);
});
