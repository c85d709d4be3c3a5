import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NO_BODY } from '../../app/game/frame.js';
import { passive, play } from '../../bench/scenarios/bots/play.js';
import { loadBundled, startMatch } from '../support/bundled-game.js';

const HZ = 60;
const { default: game, KIND } = await loadBundled('ducklings');

/** Starts a match of people who stand still. @param {number} people */
function start(people) {
  const match = startMatch(game, new Array(people).fill(passive));
  const { flow, world } = match;
  const ducklings = [...world.kind.keys()].filter((id) => world.kind[id] === KIND.duckling);
  match.until(() => flow.playing, 'the start');
  for (const id of ducklings) [world.x[id], world.y[id]] = [800, 450];
  const touch = (/** @type {number} */ slot, /** @type {number} */ id) => {
    match.putPlayer(slot, world.x[id] + 40, world.y[id]);
    match.step();
  };
  return { ...match, ducklings, touch, homes: [0, 1, 2].map((slot) => placeOf(match, slot)) };
}

/** @param {ReturnType<typeof startMatch>} match @param {number} slot */
const placeOf = ({ flow: { body, world } }, slot) => [world.x[body[slot]], world.y[body[slot]]];

test('ducklings follow who touches them, and swim in the pond of that player', () => {
  const { flow, own, world, ducklings, touch, homes, step, putPlayer, until } = start(3);
  [world.x[0], world.y[0]] = [500, 300];
  [world.x[1], world.y[1]] = [1100, 600];
  touch(0, 0);
  touch(0, 1);
  assert.deepEqual([...own.leader.slice(0, 3)], [1, 1, 0]);
  putPlayer(0, 700, 800);
  step(2 * HZ);
  assert.ok(
    Math.hypot(world.x[0] - 700, world.y[0] - 800) < 100,
    'the first one is behind the player',
  );
  assert.ok(
    Math.hypot(world.x[1] - world.x[0], world.y[1] - world.y[0]) < 80,
    'then the second one',
  );
  assert.equal(flow.score[0], 0);
  putPlayer(0, homes[1][0], homes[1][1]);
  step(30);
  assert.equal(flow.score[0], 0, 'it is not the pond of that player');
  putPlayer(0, homes[0][0], homes[0][1]);
  until(() => flow.score[0] === 2, 'both are at home');
  assert.deepEqual(
    [...own.leader],
    ducklings.map(() => 0),
    'others have hatched',
  );
});

test('a player may take a duckling of another one, but not at once', () => {
  const { own, world, touch, step } = start(2);
  [world.x[0], world.y[0]] = [500, 300];
  touch(0, 0);
  touch(1, 0);
  assert.equal(own.leader[0], 1);
  step(2 * HZ);
  touch(1, 0);
  assert.deepEqual([own.leader[0], own.length[0], own.length[1]], [2, 0, 1]);
});

test('a player who leaves frees the ducklings, and one who joins gets a duck', () => {
  const { flow, own, world, players, touch, step } = start(4);
  [world.x[0], world.y[0]] = [500, 300];
  touch(3, 0);
  players[3] = () => undefined;
  step(2);
  assert.equal(flow.body[3], NO_BODY);
  assert.deepEqual([own.leader[0], own.length[3]], [0, 0]);
  players[3] = passive;
  step(2);
  assert.notEqual(flow.body[3], NO_BODY);
});

test('those who have fewer ducklings walk faster, those with a long train slower', () => {
  const speedOf = (/** @type {(match: ReturnType<typeof start>) => void} */ change) => {
    const match = start(3);
    match.players[0] = () => ({ x: 1, y: 0, buttons: 0 });
    match.putPlayer(0, 300, 850);
    change(match);
    match.step(30);
    return match.world.vx[match.flow.body[0]];
  };
  const usual = speedOf(() => {});
  assert.ok(speedOf(({ flow }) => (flow.score[1] = 5)) > usual * 1.05);
  assert.ok(
    speedOf(({ touch, ducklings }) => ducklings.slice(0, 4).map((id) => touch(0, id))) < usual,
  );
});

test('matches of bots end in time; stronger bots bring more ducklings home', () => {
  const sums = [0, 1, 2].map((botStrength) => {
    const { job, ticks, scores } = play(game, { seed: 3, options: { botStrength } });
    assert.ok(job.done && ticks > 60 * HZ && ticks < 100 * HZ);
    return scores.reduce((sum, score) => sum + score);
  });
  assert.ok(sums[0] > 20 && sums[0] < sums[1] && sums[1] < sums[2], `${sums}`);
});
