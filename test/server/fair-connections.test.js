/** Tests that an address with many connections loses some of them to other addresses. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { Client, faultyGame, startTv, until } from '../support/tv.js';
import { closed, openSocket } from '../support/wire.js';
import { LIMITS } from '../../app/limits/table.js';

const games = [faultyGame];

test('a new phone can join when other addresses hold all websockets', async (t) => {
  const args = ['--max-clients', '6', '--max-clients-per-address', '4'];
  const tv = await startTv(t, { games, args });
  const screen = await Client.screen(tv);
  /** @type {Client[]} */
  const greedy = [];
  for (const localAddress of ['127.0.0.2', '127.0.0.2', '127.0.0.2', '127.0.0.3', '127.0.0.3'])
    greedy.push(await Client.connect(tv, { t: 'hello', role: 'screen' }, { localAddress }));
  await Promise.all(greedy.map((client) => client.next('welcome')));

  const phone = await Client.pad(tv, { name: 'Ann' }); // the second client of its address
  await until(
    () => greedy[2].closed,
    'the end of the newest websocket of the address with the most',
  );
  assert.deepEqual(
    [screen, phone, ...greedy].map(({ closed: end }) => end !== undefined),
    [false, false, false, false, true, false, false],
  );
});

test('pages load when other addresses hold all connections', async (t) => {
  const args = ['--max-clients', '1', '--max-clients-per-address', '64'];
  const tv = await startTv(t, { games, args });
  const max = 1 + LIMITS.pageSockets.value;
  const sockets = [];
  for (let i = 0; i < max; i++) {
    const localAddress = `127.0.1.${1 + (i % 3)}`;
    sockets.push(await openSocket(t, tv, { localAddress }));
  }
  await until(() => tv.server.sockets === max, 'the maximum number of connections');
  const ended = Promise.race(sockets.map(closed));
  assert.equal((await fetch(`${tv.url}/healthz`)).status, 200);
  await ended;
  assert.ok(tv.server.sockets <= max);
});
