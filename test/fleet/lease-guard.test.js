/** What a node does with its matches when it loses the lease. guards.test.js explores who may show and run them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FleetCounters } from '../../app/fleet/fleet-counters.js';
import { FleetMatches } from '../../app/fleet/fleet-matches.js';
import { LeaseGuard } from '../../app/fleet/lease-guard.js';
import { silentLog } from '../../app/log.js';
import { until } from '../support/tv.js';

test('a match goes on whose worker stops when the node has the lease again', async () => {
  let now = 0;
  let stopped = (/** @type {object} */ _checkpoint) => {};
  const checkpoint = { bytes: new Uint8Array(), tick: 7 };
  /** @type {unknown[]} */
  const started = [];
  const match = {
    id: 1,
    isOwn: true,
    running: true,
    worker: { release: () => new Promise((resolve) => (stopped = resolve)) },
    start: async (/** @type {unknown} */ from) => started.push(from),
  };
  const membership = { clock: () => now, hasLease: false, isAlone: false, noteServers() {} };
  const fleet = /** @type {any} */ ({
    membership,
    counters: new FleetCounters(),
    lobby: { matches: [match], emit() {} },
    tables: { entries: () => [] },
    connection: { askServers: async () => undefined },
    log: silentLog,
    partition: 'pause',
    catchUp: async () => {},
  });
  fleet.matches = new FleetMatches(fleet);
  const guard = new LeaseGuard(fleet);
  guard.check();
  now += 2000;
  guard.check();
  membership.hasLease = true;
  guard.check();
  await until(() => !guard.isBehind, 'the node knows what it had missed');
  stopped(checkpoint);
  await until(() => !fleet.matches.isConfirmed(1), 'the end of the worker');
  guard.check();
  assert.deepEqual(started, [checkpoint]);
});
