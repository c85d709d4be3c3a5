/** Tests that refused websocket upgrades hold no resources. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import test from 'node:test';
import { closed, descriptors, openSocket, upgradeRequest } from '../support/wire.js';
import { Client, faultyGame, startTv, until } from '../support/tv.js';

const games = [faultyGame];
/** Descriptors that the TV opens once at any time: pidusage keeps /proc/PID/stat open. */
const OPENED_ONCE = 1;

test('refused clients that keep sending and half-close leave no descriptors open', async (t) => {
  const tv = await startTv(t, { games });
  const before = descriptors() + OPENED_ONCE;
  for (const localAddress of ['127.0.0.1', '127.0.0.2', '127.0.0.3', '127.0.0.4']) {
    const attempts = Array.from({ length: 64 }, async () => {
      const socket = await openSocket(t, tv, { localAddress });
      socket.write(upgradeRequest(tv, { path: '/nope' }));
      const [answer] = await once(socket, 'data');
      assert.match(String(answer), /^HTTP\/1.1 404/);
      socket.write('more bytes');
      socket.end();
      socket.destroy();
    });
    await Promise.all(attempts);
  }
  await until(() => descriptors() <= before, 'the descriptors to be closed');
  const client = await Client.pad(tv);
  client.vanish();
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
