/** A TV that joins a fleet which goes on meanwhile. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { LocalFleet, missingForFleet } from '../../bench/harness/local-fleet.js';
import { connectTo } from './play.js';

/** In this part of the time after which nodes repeat their tables anyway, they do so for a TV that joins. */
const REPEATED_MS = 1000;
const JOINS = 2;
const skip = missingForFleet ?? false;

test('the other TVs tell one that joins what it may have missed', { skip }, async (t) => {
  const fleet = new LocalFleet({ count: 2 });
  t.after(() => fleet.stop());
  await fleet.start();
  const connection = await connectTo(fleet);
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
});
