/** Tests that clients that do not read cannot exhaust file descriptors. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { LIMITS } from '../../app/limits/table.js';
import { descriptors, openSocket } from '../support/wire.js';
import { faultyGame, startTv, until } from '../support/tv.js';

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

test('the downloads of replays are limited per address', async (t) => {
  const tv = await startTv(t, { games: [faultyGame] });
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
