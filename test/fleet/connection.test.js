/** The connection of a TV to servers that are slow, fall silent, or end. */
import assert from 'node:assert/strict';
import { SILENT_MS, isMissing } from '../../app/fleet/connection.js';
import { openTables } from '../../app/fleet/join.js';
import { forgetMember, joinMembers, openMembers, readMembers } from '../../app/fleet/members.js';
import { BEAT_MS, EXPIRE_MS } from '../../app/fleet/membership.js';
import { until } from '../support/tv.js';
import { connectTo, startServers, test } from './play.js';

/** More than all buffers between two processes hold. */
const MESSAGES = 400;
const MESSAGE_BYTES = 64 * 1024;
/** Of three nodes that join at once, one was lost in every second round. */
const JOIN_ROUNDS = 20;

test('a TV leaves a silent server before the others declare it dead', () => {
  assert.ok(SILENT_MS <= EXPIRE_MS - BEAT_MS, `${SILENT_MS} ms`);
});

test('a silent server is left at once, also with unsent data, and the next one is used', async (t) => {
  const fleet = await startServers(t, { count: 2 });
  const connection = await connectTo(t, fleet);
  assert.equal(connection.server, 'server-0');
  /** @type {string[]} */
  const statuses = [];
  void (async () => {
    for await (const { type } of connection.nats.status()) statuses.push(type);
  })();
  const reconnected = new Promise((resolve) => (connection.onReconnect = () => resolve(true)));

  fleet.servers[0].kill('SIGSTOP');
  const message = Buffer.alloc(MESSAGE_BYTES);
  for (let i = 0; i < MESSAGES; i++) connection.publish('pitv.test', message);
  await reconnected;
  assert.equal(connection.server, 'server-1');
  const dials = statuses.filter((type) => type === 'reconnecting');
  assert.equal(dials.length, 1, 'the silent server was not tried again');
  await connection.nats.flush();
});

test('a bucket that was made without a server gets its copies when the next TV joins', async (t) => {
  const fleet = await startServers(t);
  fleet.servers[2].kill('SIGKILL');
  const connection = await connectTo(t, fleet);
  const open = () => connection.openBucket('pitv-test', { storage: 'file' }).catch(() => undefined);
  const bucket = await until(open, 'JetStream');
  assert.equal((await bucket.status()).replicas, 1);
  await fleet.startServer(2);
  const replicas = async () => {
    await open();
    const status = await bucket.status().catch(() => undefined); // no leader while the copies are made
    return status?.replicas === 3;
  };
  await until(replicas, 'copies of the bucket');
});

/** A TV tries again when the servers do not answer in time. @param {Error} error */
function undefinedIfLate(error) {
  if (error.name !== 'TimeoutError') throw error;
  return undefined;
}

test('nodes that join at the same moment all belong to the fleet, each with its own number', async (t) => {
  const fleet = await startServers(t);
  const names = ['a', 'b', 'c'];
  const joinAs = async (/** @type {string} */ node) => {
    const connection = await connectTo(t, fleet, { node });
    return until(() => openMembers(connection).catch(() => undefined), 'JetStream');
  };
  const buckets = await Promise.all(names.map(joinAs));
  const join = (/** @type {number} */ i) =>
    until(() => joinMembers(buckets[i], names[i], 'A').catch(undefinedIfLate), 'an answer');
  for (let round = 1; round <= JOIN_ROUNDS; round++) {
    const joined = await Promise.all(names.map((_, i) => join(i)));
    const members = await readMembers(buckets[0]);
    assert.deepEqual([...members.keys()].sort(), names, `round ${round}`);
    joined.forEach(({ member }, i) => assert.deepEqual(members.get(names[i]), member));
    assert.equal(new Set(joined.map(({ member }) => member.index)).size, names.length);
    for (const name of names) await forgetMember(buckets[0], name);
  }
});

test('servers that have lost the tables get them again', async (t) => {
  const fleet = await startServers(t, { count: 1 });
  const connection = await connectTo(t, fleet);
  const tables = await openTables(connection, 'a');
  const isStored = async () => (await tables.bucket.get('nodes.a').catch(() => null)) !== null;
  tables.set('nodes', 'a', { urls: [], games: [] });
  await until(isStored, 'a first write');
  await tables.check();

  fleet.servers[0].kill('SIGKILL');
  await fleet.startServer(0);
  const isLost = () => tables.bucket.get('nodes.a').then(() => false, isMissing);
  await until(isLost, 'the server without the value');
  await tables.check();
  await until(isStored, 'the value');
  const others = await openTables(await connectTo(t, fleet, { node: 'other' }), 'b');
  assert.deepEqual(others.get('nodes', 'a'), { urls: [], games: [] });
});
