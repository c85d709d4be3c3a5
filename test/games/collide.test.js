import assert from 'node:assert/strict';
import { test } from 'node:test';
import collide from '../../app/games/collide.js';
import { decodeFrame } from '../support/decode-frame.js';

const none = () => 0;

/** @param {Record<string, number>} options @param {number} ticks */
function run(options, ticks) {
  const job = collide.start({ seed: 7, ...options });
  for (let i = 0; i < ticks; i++) job.step(none, none);
  return job;
}

test('randomly placed bodies have about one overlapping pair per body', () => {
  for (const bodies of [1000, 5000, 20000]) {
    const pairs = collide.start({ seed: 3, bodies }).flow.world.advance();
    assert.ok(pairs / bodies > 0.85 && pairs / bodies < 1.15, `${pairs} pairs of ${bodies}`);
  }
});

test('it runs with 0, 1 and 20,000 bodies', () => {
  for (const bodies of [0, 1, 20000]) {
    const job = run({ bodies }, 10);
    const frame = new Uint8Array(collide.sizes({ bodies }).frameBytes);
    assert.equal(decodeFrame(frame.subarray(0, job.writeFrame(frame))).bodies.count, bodies);
    assert.equal(job.flow.world.contactsDropped, 0);
  }
});

test('bodies stay inside, contacts are counted', () => {
  const { world, own } = run({}, 3600).flow;
  const radius = world.a[0];
  for (let id = 0; id < world.high; id++) {
    assert.ok(world.x[id] > -radius && world.x[id] < 1600 + radius);
    assert.ok(world.y[id] > -radius && world.y[id] < 900 + radius);
  }
  assert.ok(own.contacts[0] > 3600 * 100, `${own.contacts[0]} contacts`);
});

test('it ends after the option `ticks`, or never', () => {
  assert.equal(run({ bodies: 10 }, 5000).done, false);
  const job = run({ bodies: 10, ticks: 100 }, 103);
  assert.equal(job.done, true);
  assert.ok(job.tick <= 103);
});
