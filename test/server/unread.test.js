/** Clients that do not read are closed; slow screens get the newest frames only. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { DifferenceReader } from '../../app/game/frame-difference.js';
import { FRAME_TYPE, HEADER_AT } from '../../app/game/frame.js';
import { LIMITS } from '../../app/limits/table.js';
import { Client, faultyGame, games, metricsOf, startTv, until } from '../support/tv.js';
import { closed, openRawWebSocket, openSocket } from '../support/wire.js';
import { dropped } from './refusals.js';

/** More bytes than the buffers of a connection hold. */
const LARGE = 64 * 1024 * 1024;
const REPLAY = '/api/matches/1/replay';
const REQUEST = `GET ${REPLAY} HTTP/1.1\r\nHost: x\r\n\r\n`;

/** Starts a TV with a large replay. @param {import('node:test').TestContext} t @param {number} [unreadMs] */
async function tvWithLargeReplay(t, unreadMs) {
  const tv = await startTv(t, { games, times: { unreadMs } });
  const replay = { game: faultyGame, parts: [new Uint8Array(LARGE)] };
  tv.server.hub.replays.get = () => replay;
  return tv;
}

test('an unread download is ended, even if the client keeps sending requests', async (t) => {
  const tv = await tvWithLargeReplay(t, 400);
  const socket = await openSocket(t, tv);
  socket.pause();
  socket.write(REQUEST);
  socket.write('POST /api/matches HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n');
  const trickle = setInterval(() => socket.write('x'), 50);
  t.after(() => clearInterval(trickle));
  await until(() => tv.server.sockets === 0, 'the connection to be ended');
  assert.equal(await dropped(tv, 'never-reads'), 1);
});

test('a slow download completes', async (t) => {
  const tv = await tvWithLargeReplay(t, 400);
  const response = await fetch(`${tv.url}${REPLAY}`);
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
  const tv = await tvWithLargeReplay(t);
  const download = async (count = 1) => {
    const socket = await openSocket(t, tv);
    socket.write(REQUEST.repeat(count));
    const head = await new Promise((resolve) => {
      socket.once('data', (bytes) => {
        socket.pause();
        resolve(bytes.toString('latin1'));
      });
    });
    return { socket, status: Number(STATUS.exec(head)?.[1]) };
  };
  const max = LIMITS.replayDownloadsPerAddress.value;
  const waiting = await download(4); // the last three of them
  const open = await Promise.all(Array.from({ length: max - 4 }, () => download()));
  assert.deepEqual(new Set(open.map(({ status }) => status)), new Set([200]));
  assert.equal((await download()).status, 503);
  waiting.socket.destroy();
  for (let i = 0; i < 4; i++) {
    await until(async () => (await download()).status === 200, 'a free place for a download');
  }
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
