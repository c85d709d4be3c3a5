/** A TV whose pages are available a moment before it takes part in its fleet. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { LocalFleet, missingForFleet } from '../../bench/harness/local-fleet.js';
import { installedGames } from '../support/serve.js';

const POLL_MS = 2;
const skip = missingForFleet ?? false;

test('a request that comes before the TV takes part waits', { skip }, async (t) => {
  const games = installedGames();
  const fleet = new LocalFleet({ count: 1, games, flags: ['--engine', 'process'] });
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
});
