/** Tests that clients that do not read cannot exhaust file descriptors. */
import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import { LIMITS } from '../../app/limits/table.js';
import { descriptors, openSocket } from '../support/wire.js';
import { faultyGame, startTv, temporaryFolder, until } from '../support/tv.js';

const ID = 'a'.repeat(24);
const CLIP_BYTES = 32 * 1024 * 1024; // more than a socket's buffers hold
const STATUS = /^HTTP\/1\.1 (\d+)/;

test('unread responses with pages keep no files open', async (t) => {
  const tv = await startTv(t, { games: [faultyGame] });
  await fetch(`${tv.url}/lib/renderer.js`);
  const before = descriptors();
  const request = `GET /lib/renderer.js HTTP/1.1\r\nHost: 127.0.0.1:${tv.port}\r\n\r\n`;
  const sockets = await Promise.all(Array.from({ length: 20 }, () => openSocket(t, tv)));
  for (const socket of sockets) socket.pause().write(request.repeat(4));
  await until(() => tv.server.sockets >= 20, 'the connections');
  assert.equal((await fetch(`${tv.url}/healthz`)).status, 200);
  const perSocket = 2; // both ends are in this process
  assert.ok(descriptors() - before <= 20 * perSocket + 4, `${descriptors() - before} descriptors`);
});

test('the downloads of clips are limited per address', async (t) => {
  const dataDir = await temporaryFolder(t);
  await mkdir(join(dataDir, 'clips'));
  const note = { id: ID, owner: 'admin', client: '', match: 1, game: 'bumper', title: 'Bumper' };
  const about = { createdAt: 1, seconds: 1, width: 1, height: 1, fps: 30 };
  await writeFile(join(dataDir, 'clips', `${ID}.json`), JSON.stringify({ ...note, ...about }));
  await writeFile(join(dataDir, 'clips', `${ID}.mp4`), Buffer.alloc(CLIP_BYTES));
  const tv = await startTv(t, { dataDir, games: [faultyGame] });

  const request = `GET /clips/${ID}.mp4 HTTP/1.1\r\nHost: 127.0.0.1:${tv.port}\r\n\r\n`;
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
  const max = LIMITS.clipDownloadsPerAddress.value;
  const open = await Promise.all(Array.from({ length: max }, download));
  assert.deepEqual(new Set(open.map(({ status }) => status)), new Set([200]));
  assert.equal((await download()).status, 503);
  open[0].socket.destroy();
  await until(async () => (await download()).status === 200, 'a free place for a download');
});
