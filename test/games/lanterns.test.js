import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BUTTON_A } from '../../app/game/input.js';
import { GOOD, passive, play, scripted } from '../../bench/scenarios/bots/play.js';
import { planLanterns } from '../../bench/scenarios/bots/plans.js';
import { loadBundled, startMatch } from '../support/bundled-game.js';

const HZ = 60;
const { default: game, KIND, LANTERNS, MODE, ROUNDS, placeOf } = await loadBundled('lanterns');

/** Starts a match and waits until people may walk. @param {number} people */
function start(people) {
  const match = startMatch(game, new Array(people).fill(passive));
  const { own, players, step, putPlayer } = match;
  /** A player lights a lantern. @param {number} slot @param {number} lantern */
  const light = (slot, lantern) => {
    const { x, y } = placeOf(lantern);
    putPlayer(slot, x, y + 60);
    players[slot] = () => ({ x: 0, y: 0, buttons: BUTTON_A });
    step();
    players[slot] = passive;
    step();
  };
  const walk = () => match.until(() => own.mode[0] === MODE.walk, 'the end of the pattern');
  walk();
  return { ...match, light, walk };
}

test('a pattern is shown lantern by lantern, and goes out', () => {
  const match = startMatch(game, [passive]);
  const { own, world, until, step } = match;
  /** @type {number[]} */
  const shown = [];
  until(() => own.mode[0] === MODE.show && own.modeTicks[0] === 1, 'the first round');
  while (own.mode[0] === MODE.show) {
    step();
    for (let i = 0; i < LANTERNS; i++) {
      if (world.kind[i] === KIND.lit && shown.at(-1) !== i) shown.push(i);
    }
  }
  assert.deepEqual(shown, [...own.pattern.slice(0, own.length[0])]);
  step();
  assert.ok([...world.kind.slice(0, LANTERNS)].every((kind) => kind === KIND.dark));
});

test('all players together light a pattern in its order; the next one may have any order', () => {
  const { flow, own, light, walk, until } = start(2);
  for (let i = 0; i < 3; i++) light(i % 2, own.pattern[i]);
  assert.deepEqual([own.mode[0], flow.score[0], flow.score[1]], [MODE.good, 2, 1]);
  until(() => flow.round === 2, 'the next round');
  walk();
  assert.equal(own.length[0], 4);
  for (let i = 3; i >= 0; i--) light(0, own.pattern[i]);
  assert.deepEqual([own.mode[0], own.lives[0]], [MODE.good, 3]);
});

test('a wrong lantern and the end of the time cost a life, and the same pattern is shown again', () => {
  const { flow, own, light, walk, until } = start(1);
  const pattern = [...own.pattern];
  light(0, own.pattern[1]);
  assert.deepEqual([own.mode[0], own.lives[0], flow.score[0]], [MODE.bad, 2, 0]);
  walk();
  assert.deepEqual([...own.pattern], pattern);
  until(() => own.lives[0] === 1, 'the end of the time');
  walk();
  light(0, own.pattern[LANTERNS - 1]);
  until(() => flow.phase === 3, 'the end');
  assert.equal(flow.winner[0], 0);
});

test('more people get longer patterns', () => {
  assert.deepEqual(
    [1, 3, 4, 8].map((people) => start(people).own.length[0]),
    [3, 3, 4, 5],
  );
});

test('who remembers seven lanterns wins with all players; who remembers one does not get far', () => {
  for (const span of [7, 1]) {
    const players = [passive, scripted(planLanterns(span), GOOD)];
    const { job, winners, ticks } = play(game, { seed: 4, players });
    assert.ok(job.done && ticks < 200 * HZ);
    assert.deepEqual(winners, span === 7 ? [0, 1] : []);
    assert.equal(job.flow.round === ROUNDS, span === 7);
  }
});

test('the bots of the demo play some rounds', () => {
  const rounds = [0, 2].flatMap((botStrength) =>
    [1, 2, 3, 4].map((seed) => play(game, { seed, options: { botStrength } }).job.flow.round),
  );
  assert.ok(Math.max(...rounds) > 3, `${rounds}`);
});
