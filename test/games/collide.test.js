import assert from 'node:assert/strict';
import { test } from 'node:test';
import collide from '../../app/games/collide.js';
import { startMatch } from '../support/bundled-game.js';

/** @param {Record<string, number>} options @param {number} ticks */
function run(options, ticks) {
  const match = startMatch(collide, [], { seed: 7, ...options });
  match.step(ticks);
  return match;
}

test('randomly placed bodies have about one overlapping pair per body', () => {
  for (const bodies of [1000, 5000, 20000]) {
    const pairs = collide.start({ seed: 3, bodies }).flow.world.advance();
    assert.ok(pairs / bodies > 0.85 && pairs / bodies < 1.15, `${pairs} pairs of ${bodies}`);
  }
});

test('it runs with 0, 1 and 20,000 bodies', () => {
  for (const bodies of [0, 1, 20000]) {
    const { world, frame } = run({ bodies }, 10);
    assert.equal(frame().bodies.count, bodies);
    assert.equal(world.contactsDropped, 0);
  }
});

test('bodies stay inside, contacts are counted', () => {
  const { world, own } = run({}, 3600);
  const radius = world.a[0];
  for (let id = 0; id < world.high; id++) {
    assert.ok(world.x[id] > -radius && world.x[id] < 1600 + radius);
    assert.ok(world.y[id] > -radius && world.y[id] < 900 + radius);
  }
  assert.ok(own.contacts[0] > 3600 * 100, `${own.contacts[0]} contacts`);
});

test('it ends after the option `ticks`, or never', () => {
  assert.equal(run({ bodies: 10 }, 5000).job.done, false);
  const { job } = run({ bodies: 10, ticks: 100 }, 103);
  assert.equal(job.done, true);
  assert.ok(job.tick <= 103);
});
