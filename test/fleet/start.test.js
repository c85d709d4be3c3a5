/** A TV that joins its fleet. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { FleetConnection } from '../../app/fleet/connection.js';
import { silentLog } from '../../app/log.js';
import { LocalFleet, missingForFleet } from '../../bench/harness/local-fleet.js';

const POLL_MS = 2;
/** In this part of the time after which nodes repeat their tables anyway, they do so for a TV that joins. */
const REPEATED_MS = 1000;
const JOINS = 2;

test(
  'a request that comes before the TV takes part waits',
  { skip: missingForFleet ?? false },
  async (t) => {
    const fleet = new LocalFleet({ count: 1 });
    t.after(() => fleet.stop());
    await fleet.start();
    const headers = {
      'content-type': 'application/json',
      authorization: `Bearer ${fleet.adminToken(0)}`,
    };
    /** @param {string} path @param {object} [body] */
    const ask = async (path, body) => {
      const options = body && { method: 'POST', headers, body: JSON.stringify(body) };
      for (;;) {
        const response = await fetch(fleet.nodes[0].url + path, options).catch(() => undefined);
        if (response) return { status: response.status, text: await response.text() };
        await sleep(POLL_MS);
      }
    };

    fleet.kill(0);
    const [, match, state, drained] = await Promise.all([
      fleet.startTv(0),
      ask('/api/matches', { game: 'bumper' }),
      ask('/api/fleet'),
      ask('/api/fleet/nodes/node-0/drain', { on: false }),
    ]);
    assert.equal(match.status, 201, match.text);
    assert.equal(state.status, 200, state.text);
    assert.equal(drained.status, 200, drained.text);
    assert.doesNotMatch(fleet.logs[0], /request failed/);
  },
);

test(
  'the other TVs tell one that joins what it may have missed meanwhile',
  { skip: missingForFleet ?? false },
  async (t) => {
    const fleet = new LocalFleet({ count: 2 });
    t.after(() => fleet.stop());
    await fleet.start();
    const connection = await FleetConnection.open({
      ...{ servers: fleet.urls, credentialsFile: fleet.credentials, caFile: '' },
      ...{ node: 'test', log: silentLog },
    });
    t.after(() => connection.close());
    for (let join = 0; join < JOINS; join++) {
      let beatAt = Infinity;
      let toldAt = Infinity;
      const ends = [
        connection.subscribe('pitv.beat', (message) => {
          const { node, sequence } = /** @type {any} */ (message.json());
          if (node === 'node-1' && sequence === 1) beatAt = performance.now();
        }),
        connection.subscribe('pitv.shared.addresses', (message) => {
          const { node } = /** @type {any} */ (message.json());
          if (node === 'node-0' && beatAt < Infinity) toldAt = Math.min(toldAt, performance.now());
        }),
      ];
      fleet.kill(1);
      await fleet.startTv(1);
      await sleep(REPEATED_MS);
      for (const end of ends) end();
      assert.ok(toldAt - beatAt < REPEATED_MS, `after ${toldAt - beatAt} ms`);
    }
  },
);
