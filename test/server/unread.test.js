/** Tests that connections of clients that do not read are closed. */
import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import { closed, openRawWebSocket, openSocket } from '../support/wire.js';
import { Client, faultyGame, metricsOf, startTv, temporaryFolder, until } from '../support/tv.js';
import { profilesFolder } from '../../app/system/profiles.js';

const games = [faultyGame];
const NEVER_READS = 'pitv_messages_dropped_total{kind="never-reads"}';
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
  assert.equal((await metricsOf(tv)).get(NEVER_READS), 1);
});

test('a slow download completes', async (t) => {
  const { tv, path } = await tvWithLargeFile(t);
  const response = await fetch(`${tv.url}${path}`, {
    headers: { authorization: `Bearer ${tv.admin.token}` },
  });
  let length = 0;
  for await (const chunk of /** @type {AsyncIterable<Uint8Array>} */ (response.body)) {
    // Takes longer than the limit in total, but always makes progress.
    if (length >> 22 !== (length + chunk.length) >> 22) await pause(60);
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
  await until(
    async () => (await metricsOf(tv)).get(NEVER_READS) === 1,
    'the end of the connection',
  );
  client.resume();
  await ended;
  await reader.settle();
});

/** @param {number} ms */
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
