/**
 * Tests that clients are disconnected that flood with control frames, fragments or pipelined requests, or that do not
 * read, and that refused websocket upgrades hold no resources. Slow screens get the newest frames, and only what they
 * can read.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { Agent, get } from 'node:http';
import { join } from 'node:path';
import test from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { DifferenceReader } from '../../app/game/difference-reader.js';
import { FRAME_TYPE, HEADER_AT } from '../../app/game/frame.js';
import { LIMITS } from '../../app/limits/table.js';
import { profilesFolder } from '../../app/system/profiles.js';
import { Client, faultyGame, metricsOf, startTv, temporaryFolder, until } from '../support/tv.js';
import {
  closed,
  descriptors,
  frame,
  OPCODE,
  openRawWebSocket,
  openSocket,
  upgradeRequest,
} from '../support/wire.js';
import { dropped } from './refusals.js';

const games = [faultyGame];

/** @param {number} code @param {string} reason @returns {Buffer} the close frame that the TV sends */
const closeFrame = (code, reason) =>
  Buffer.concat([
    Buffer.from([0x88, 2 + reason.length, code >> 8, code & 0xff]),
    Buffer.from(reason),
  ]);

for (const [name, opcode] of /** @type {const} */ ([
  ['pongs', OPCODE.pong],
  ['pings', OPCODE.ping],
])) {
  test(`a client that sends 2.6 million ${name} is disconnected before all are read`, async (t) => {
    const tv = await startTv(t, { games });
    const flood = await openRawWebSocket(t, tv);
    const expected = closeFrame(1008, 'too many pings or pongs');
    let answer = Buffer.alloc(0);
    let unsent = 0;
    flood.on('data', (data) => {
      answer = Buffer.concat([answer, data]);
      if (answer.includes(expected)) unsent = flood.writableLength;
    });
    flood.write(Buffer.alloc(26 * 600_000, frame(opcode)));
    await closed(flood);
    assert.ok(answer.includes(expected), 'the close code arrived');
    assert.ok(unsent > 0, 'the TV has not read everything');
    assert.equal(await dropped(tv, 'control-flood'), 1);
    assert.ok(answer.length < 1000, `${answer.length} bytes were sent in return`);
  });
}

test('a message of a hundred fragments closes its connection', async (t) => {
  const tv = await startTv(t, { games });
  const client = await openRawWebSocket(t, tv);
  client.resume();
  client.write(frame(OPCODE.text, '', { fin: false }));
  client.write(Buffer.alloc(6 * 100, frame(OPCODE.continuation, '', { fin: false })));
  await closed(client);
  assert.equal(await dropped(tv, 'protocol'), 1);
});

test('a message of a few fragments is accepted', async (t) => {
  const tv = await startTv(t, { games });
  const client = await openRawWebSocket(t, tv);
  let answer = '';
  client.on('data', (data) => (answer += data.toString('latin1')));
  const hello = JSON.stringify({ t: 'hello', role: 'pad', code: tv.code });
  client.write(frame(OPCODE.text, hello.slice(0, 10), { fin: false }));
  for (const letter of hello.slice(10, 20)) {
    client.write(frame(OPCODE.continuation, letter, { fin: false }));
  }
  client.write(frame(OPCODE.continuation, hello.slice(20)));
  await until(() => answer.includes('welcome'), 'the welcome');
});

test('a client that sends 40 pings at once gets 40 pongs', async (t) => {
  const tv = await startTv(t, { games });
  const client = await Client.pad(tv);
  let pongs = 0;
  client.socket.on('pong', () => pongs++);
  for (let i = 0; i < 40; i++) client.socket.ping();
  await until(() => pongs === 40, 'an answer to each ping');
  await client.settle();
});

const REQUEST = 'GET /admin HTTP/1.1\r\nHost: x\r\n\r\n';

test('connections that pipeline thousands of requests and read nothing are closed', async (t) => {
  const tv = await startTv(t, { games });
  const before = descriptors();
  let most = before;
  const timer = setInterval(() => (most = Math.max(most, descriptors())), 1);
  t.after(() => clearInterval(timer));
  const sockets = await Promise.all(Array.from({ length: 16 }, () => openSocket(t, tv)));
  for (const socket of sockets) socket.pause().write(REQUEST.repeat(3000));
  await until(() => tv.server.sockets === 0, 'the end of the connections');
  assert.equal(await dropped(tv, 'pipelining'), 16);
  // Both ends of a connection are in this process, and each of its 4 responses may have a file open.
  assert.ok(most <= before + 16 * (2 + 4) + 16, `${most - before} descriptors more`);
  for (const socket of sockets) socket.destroy();
  await until(() => descriptors() <= before + 2, 'the closing of the descriptors');
});

test('four pipelined requests are all answered', async (t) => {
  const tv = await startTv(t, { games });
  const socket = await openSocket(t, tv);
  let answers = '';
  socket.on('data', (data) => (answers += data));
  socket.write(REQUEST.repeat(4));
  const count = () => answers.split('HTTP/1.1 200').length - 1;
  await until(() => count() === 4, 'four answers');
  socket.write(REQUEST.repeat(4));
  await until(() => count() === 8, 'four more');
});

test('a connection that is kept alive may make any number of requests', async (t) => {
  const tv = await startTv(t, { games });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.after(() => agent.destroy());
  const ports = new Set();
  for (let i = 0; i < 100; i++) {
    const [response] = await once(get(`${tv.url}/admin`, { agent }), 'response');
    ports.add(response.socket.localPort);
    response.resume();
    await once(response, 'end');
    assert.equal(response.statusCode, 200);
  }
  assert.equal(ports.size, 1);
});

test('a refused client that keeps its connection open is disconnected', async (t) => {
  const tv = await startTv(t, { games });
  const quiet = await openSocket(t, tv);
  quiet.write(upgradeRequest(tv, { path: '/nope' }));
  const busy = await openSocket(t, tv);
  busy.write(upgradeRequest(tv, { path: '/nope' }) + 'x'.repeat(200_000));
  for (const socket of [quiet, busy]) socket.resume();
  await Promise.all([closed(quiet), closed(busy)]);
  assert.equal(tv.server.sockets, 0);
});

test('an upgrade after an unanswered request is refused', async (t) => {
  const tv = await startTv(t, { games });
  const socket = await openSocket(t, tv);
  let answer = '';
  socket.on('data', (data) => (answer += data));
  socket.write(`GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n${upgradeRequest(tv)}`);
  await closed(socket);
  assert.doesNotMatch(answer, / 101 /);
});

test('a refused upgrade does not delay stop()', async (t) => {
  const tv = await startTv(t, { games });
  const socket = await openSocket(t, tv);
  socket.write(upgradeRequest(tv, { path: '/nope' }));
  await once(socket, 'data');
  await tv.stop();
});

/** More bytes than the kernel's buffers of a connection hold. */
const LARGE = 64 * 1024 * 1024;

/** Starts a TV with a large file to download. @param {import('node:test').TestContext} t */
async function tvWithLargeFile(t) {
  const dataDir = await temporaryFolder(t);
  await mkdir(profilesFolder(dataDir), { recursive: true });
  const name = 'heap-main-20260101T000000Z.heapsnapshot';
  await writeFile(join(profilesFolder(dataDir), name), Buffer.alloc(LARGE));
  const tv = await startTv(t, { games, dataDir, times: { unreadMs: 400 } });
  return { tv, path: `/api/profiles/${name}` };
}

test('an unread download is ended, even if the client keeps sending requests', async (t) => {
  const { tv, path } = await tvWithLargeFile(t);
  const socket = await openSocket(t, tv);
  socket.pause();
  socket.write(
    `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${tv.admin.token}\r\n\r\n`,
  );
  socket.write('POST /api/matches HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n');
  const trickle = setInterval(() => socket.write('x'), 50);
  t.after(() => clearInterval(trickle));
  await until(() => tv.server.sockets === 0, 'the connection to be ended');
  assert.equal(await dropped(tv, 'never-reads'), 1);
});

test('a slow download completes', async (t) => {
  const { tv, path } = await tvWithLargeFile(t);
  const response = await fetch(`${tv.url}${path}`, {
    headers: { authorization: `Bearer ${tv.admin.token}` },
  });
  let length = 0;
  for await (const chunk of /** @type {AsyncIterable<Uint8Array>} */ (response.body)) {
    // Takes longer than the limit in total, but always makes progress.
    if (length >> 22 !== (length + chunk.length) >> 22) await delay(60);
    length += chunk.length;
  }
  assert.equal(length, LARGE);
});

test('a websocket client that sends but does not read is disconnected', async (t) => {
  const tv = await startTv(t, { games, times: { heartbeatMs: 20, deadMs: 60_000, unreadMs: 300 } });
  const reader = await Client.screen(tv);
  const client = await openRawWebSocket(t, tv);
  const ended = closed(client);
  client.pause();
  const pongs = setInterval(() => client.write(Buffer.from([0x8a, 0x80, 0, 0, 0, 0])), 100);
  t.after(() => clearInterval(pongs));
  const isDropped = async () => (await dropped(tv, 'never-reads')) === 1;
  await until(isDropped, 'the end of the connection');
  client.resume();
  await ended;
  await reader.settle();
});

const STATUS = /^HTTP\/1\.1 (\d+)/;

test('the downloads of replays are limited per address', async (t) => {
  const tv = await startTv(t, { games });
  // More than the buffers of a socket hold.
  const replay = { game: faultyGame, parts: [new Uint8Array(32 * 1024 * 1024)] };
  tv.server.hub.replays.get = () => replay;
  const request = `GET /api/matches/1/replay HTTP/1.1\r\nHost: 127.0.0.1:${tv.port}\r\n\r\n`;
  const download = async () => {
    const socket = await openSocket(t, tv);
    socket.write(request);
    const head = await new Promise((resolve) => {
      socket.once('data', (bytes) => {
        socket.pause();
        resolve(bytes.toString('latin1'));
      });
    });
    return { socket, status: Number(STATUS.exec(head)?.[1]) };
  };
  const max = LIMITS.replayDownloadsPerAddress.value;
  const open = await Promise.all(Array.from({ length: max }, download));
  assert.deepEqual(new Set(open.map(({ status }) => status)), new Set([200]));
  assert.equal((await download()).status, 503);
  open[0].socket.destroy();
  await until(async () => (await download()).status === 200, 'a free place for a download');
});

const FRAMES = 60;

/**
 * Reads the frames of a screen.
 * @param {Client} screen
 * @returns {{ticks: number[], whole: number, lost: number}} whole: number of messages with a whole frame; lost: of
 *   those that the screen could not read
 */
function readFrames(screen) {
  const reader = new DifferenceReader();
  const read = { ticks: /** @type {number[]} */ ([]), whole: 0, lost: 0 };
  screen.socket.on('message', (data, isBinary) => {
    if (!isBinary) return;
    const bytes = new Uint8Array(/** @type {Buffer} */ (data));
    if (bytes[HEADER_AT.type] === FRAME_TYPE) read.whole++;
    const frame = reader.read(bytes.buffer);
    if (frame) read.ticks.push(new DataView(frame).getUint32(HEADER_AT.tick, true));
    else read.lost++;
  });
  return read;
}

/** @param {number[]} ticks @returns {number} of the longest gap */
const longestGap = (ticks) => Math.max(...ticks.slice(1).map((tick, i) => tick - ticks[i]));

test('a screen that could not read for a while gets the newest frame, as a difference from the last ones that it got', async (t) => {
  const tv = await startTv(t);
  const slow = await Client.screen(tv, { differences: true });
  const fast = await Client.screen(tv, { differences: true });
  const [slowFrames, fastFrames] = [readFrames(slow), readFrames(fast)];
  slow.send({ t: 'start', game: 'collide', options: { bodies: 100 } });
  await Promise.all([slow.moreFrames(FRAMES), fast.moreFrames(FRAMES)]);
  slow.socket.pause();
  const skipped = async () => (await metricsOf(tv)).get('pitv_frames_skipped_total') ?? 0;
  const before = await skipped();
  await fast.moreFrames(FRAMES); // only the slow screen skips frames
  await until(async () => (await skipped()) >= before + FRAMES, 'frames that are skipped');
  slow.socket.resume();
  await slow.moreFrames(FRAMES);
  await fast.moreFrames(1);
  assert.ok(longestGap(slowFrames.ticks) > FRAMES, `skipped frames were sent later`);
  const behind = Number(fastFrames.ticks.at(-1)) - Number(slowFrames.ticks.at(-1));
  assert.ok(behind < 2 * FRAMES, `the frames are recent: ${behind} ticks behind`);
  for (const { whole, lost } of [slowFrames, fastFrames]) {
    assert.equal(lost, 0);
    assert.equal(whole, 2, 'only the first two frames are sent as a whole');
  }
  const sorted = [...slowFrames.ticks].sort((a, b) => a - b);
  assert.deepEqual(sorted, slowFrames.ticks);
});
