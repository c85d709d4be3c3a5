/** The connection of a TV to a server that is slow, or falls silent: it is open, and nobody reads or answers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FleetConnection, SILENT_MS } from '../../app/fleet/connection.js';
import { join } from '../../app/fleet/join.js';
import { BEAT_MS, EXPIRE_MS } from '../../app/fleet/membership.js';
import { silentLog } from '../../app/log.js';
import { LocalFleet, missingForFleet } from '../../bench/harness/local-fleet.js';
import { until } from '../support/tv.js';
import { connectTo } from './play.js';

const skip = missingForFleet ?? false;
/** More than all buffers between two processes hold. */
const MESSAGES = 400;
const MESSAGE_BYTES = 64 * 1024;
/** Of eight tables, the members, and the matches of one TV. */
const BUCKETS = 10;

test('a TV leaves a silent server before the others declare it dead', () => {
  assert.ok(SILENT_MS <= EXPIRE_MS - BEAT_MS, `${SILENT_MS} ms`);
});

test(
  'a silent server is left at once, also with unsent data, and the next one is used',
  { skip },
  async (t) => {
    const fleet = new LocalFleet({ count: 2 });
    t.after(() => fleet.stop());
    await fleet.startServers();
    const connection = await connectTo(fleet);
    t.after(() => connection.close());
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
  },
);

test('a TV that joins opens all buckets at once', { skip }, async (t) => {
  const fleet = new LocalFleet({ count: 1 });
  t.after(() => fleet.stop());
  await fleet.startServers();
  const { openBucket } = FleetConnection.prototype;
  const opening = new Set();
  let most = 0;
  /** @this {FleetConnection} @param {Parameters<typeof openBucket>} about */
  async function open(...about) {
    most = Math.max(most, opening.add(about[0]).size);
    const bucket = await openBucket.apply(this, about);
    opening.delete(about[0]);
    return bucket;
  }
  t.mock.method(FleetConnection.prototype, 'openBucket', open);
  const { connection, checkpoints } = await join({
    servers: fleet.urls,
    credentialsFile: fleet.credentials,
    caFile: '',
    name: 'a',
    partition: 'pause',
    version: '',
    log: silentLog,
  });
  checkpoints.close();
  await connection.close();
  assert.equal(most, BUCKETS);
});

test(
  'a bucket that was made without a server gets its copies when the next TV joins',
  { skip },
  async (t) => {
    const fleet = new LocalFleet();
    t.after(() => fleet.stop());
    await fleet.startServers();
    fleet.servers[2].kill('SIGKILL');
    const connection = await connectTo(fleet);
    t.after(() => connection.close());
    const open = () =>
      connection.openBucket('pitv-test', { storage: 'file' }).catch(() => undefined);
    const bucket = await until(open, 'JetStream');
    assert.equal((await bucket.status()).replicas, 1);
    await fleet.startServer(2);
    const replicas = async () => {
      await open();
      return (await bucket.status()).replicas === 3;
    };
    await until(replicas, 'copies of the bucket');
  },
);
