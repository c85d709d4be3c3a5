/** Checks that Bumper is balanced, by playing it with bots and scripted players and many seeds. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { median } from 'simple-statistics';
import bumper from '../../app/games/bumper.js';
import { ROUND_TICKS, arenaRadius } from '../../app/games/bumper/edge.js';
import { NO_BODY } from '../../app/game/frame.js';
import { BUTTON_A, BUTTON_B } from '../../app/game/input.js';
import { planBumper as plan } from '../../bench/scenarios/bots/plans.js';
import { BEGINNER, GOOD, passive, play, scripted, wild } from '../../bench/scenarios/bots/play.js';
import { startMatch } from '../support/bundled-game.js';

const SEEDS = Array.from({ length: 24 }, (_, i) => i + 1);
const HZ = 60;

/** @param {(seed: number) => (import('../../bench/scenarios/bots/play.js').Player | undefined)[]} players */
const matches = (players) => SEEDS.map((seed) => play(bumper, { seed, players: players(seed) }));
const botMatches = matches(() => []);

test('bots against bots: rounds are neither too long nor too short', () => {
  const lengths = botMatches.flatMap(({ rounds }) => rounds.map(({ ticks }) => ticks));
  assert.ok(lengths.length >= 90, `${lengths.length} rounds`);
  const seconds = median(lengths) / HZ;
  assert.ok(seconds > 8 && seconds < 30, `a round takes ${seconds} s`);
  const short = lengths.filter((ticks) => ticks < 4 * HZ).length;
  assert.ok(short < lengths.length * 0.05, `${short} rounds under 4 s`);
  for (const { job, ticks } of botMatches) {
    assert.ok(job.done);
    assert.ok(ticks > 45 * HZ && ticks < 300 * HZ, `a match of ${ticks / HZ} s`);
  }
});

test('every bot wins sometimes, and some matches are close', () => {
  const wins = [0, 0, 0, 0];
  let close = 0;
  for (const { scores, winners } of botMatches) {
    for (const winner of winners) wins[winner] += 1 / winners.length;
    const [first, second] = scores.slice(0, 4).sort((p, q) => q - p);
    if (first - second <= 5) close++;
    assert.ok(first >= 8, `the winner has ${first} points`);
  }
  assert.ok(Math.max(...wins) < SEEDS.length * 0.6, `wins ${wins}`);
  assert.ok(wins.filter((won) => won > 0).length >= 3, `wins ${wins}`);
  assert.ok(close > SEEDS.length * 0.2, `${close} close matches`);
});

test('draws and tied matches are rare', () => {
  const rounds = botMatches.flatMap((match) => match.rounds);
  const draws = rounds.filter(({ alive }) => !alive.includes(1)).length;
  assert.ok(draws <= rounds.length * 0.05, `${draws} draws of ${rounds.length}`);
  const tied = botMatches.filter(({ winners }) => winners.length > 1).length;
  assert.ok(tied <= SEEDS.length * 0.25);
});

test('passive and random players lose', () => {
  for (const players of [() => [passive], (/** @type {number} */ seed) => [wild(seed)]]) {
    const wins = matches(players).filter(({ winners }) => winners.includes(0)).length;
    assert.ok(wins <= 2, `${wins} wins of ${SEEDS.length}`);
  }
});

test('a beginner has a fair chance against easy bots, and a good player may lose to hard ones', () => {
  /** @param {number} botStrength @param {import('../../bench/scenarios/bots/play.js').Habits} habits */
  const share = (botStrength, habits) => {
    const won = SEEDS.filter((seed) => {
      const players = [scripted(plan, { ...habits, seed })];
      return play(bumper, { seed, options: { botStrength }, players }).winners.includes(0);
    });
    return won.length / SEEDS.length;
  };
  const [easy, normal] = [share(0, BEGINNER), share(1, BEGINNER)];
  assert.ok(easy >= 0.4 && easy <= 0.75, `beginners win ${easy * 100} %`);
  assert.ok(normal < easy, `${normal * 100} % against normal bots`);
  const hard = share(2, GOOD);
  assert.ok(hard >= 0.2 && hard < 0.7, `good players win ${hard * 100} %`);
});

test('nobody attacks a player who has not found the controls yet', () => {
  const out = SEEDS.filter((seed) => {
    const { job } = play(bumper, { seed, players: [passive], maxTicks: 13 * HZ });
    return job.flow.alive[0] === 0;
  });
  assert.ok(out.length <= 3, `${out.length} of ${SEEDS.length} are out, more than by accident`);
});

test('a player who is behind is a little heavier, one who is ahead lighter', () => {
  const { world, flow, step } = scene({});
  flow.score.set([0, 4, 5, 15]);
  step(2);
  const lightness = [0, 1, 2, 3].map((slot) => world.invMass[flow.body[slot]].toFixed(2));
  assert.deepEqual(lightness, ['0.85', '0.95', '0.97', '1.15']);
});

test('a bot that is far ahead of all people does not dash', () => {
  const dashes = { ahead: 0, close: 0 };
  for (const seed of SEEDS.slice(0, 6)) {
    play(bumper, {
      seed,
      players: [wild(seed)],
      watch: ({ flow: { playing, bot, score, tapsA } }) => {
        if (!playing) return;
        bot.forEach((isBot, slot) => {
          if (!isBot || !tapsA[slot]) return;
          // A command is of the tick's start, and points may have come since.
          if (score[slot] - score[0] >= 10) dashes.ahead++;
          else if (score[slot] - score[0] < 6) dashes.close++;
        });
      },
    });
  }
  assert.equal(dashes.ahead, 0);
  assert.ok(dashes.close > 20, `${dashes.close} dashes`);
});

test('eight skilled players have long rounds, and most of them score', () => {
  const played = SEEDS.slice(0, 8).map((seed) =>
    play(bumper, { seed, players: Array.from({ length: 8 }, () => scripted(plan, GOOD)) }),
  );
  const lengths = played.flatMap(({ rounds }) => rounds.map(({ ticks }) => ticks));
  assert.ok(median(lengths) > 10 * HZ);
  const scorers = played.flatMap(({ scores }) => scores).filter((score) => score > 0).length;
  assert.ok(scorers > 8 * 8 * 0.8, `${scorers} of 64 scored`);
});

test('the arena never grows, and without moves its end is that of each round', () => {
  const { rounds, job } = play(bumper, { seed: 5, players: new Array(8).fill(passive) });
  assert.ok(job.done);
  assert.equal(rounds.length, 5);
  for (const { ticks } of rounds) assert.ok(ticks <= ROUND_TICKS);
  for (let ticks = 1; ticks <= ROUND_TICKS; ticks++) {
    assert.ok(arenaRadius(ticks) <= arenaRadius(ticks - 1));
  }
  assert.equal(arenaRadius(ROUND_TICKS), 0);
});

/** Starts a round in which only slot 0 moves. @param {Record<string, number[]>} places x and y of players, by slot */
function scene(places) {
  const move = { x: 0, y: 0, buttons: 0 };
  const match = startMatch(bumper, [() => move, passive, passive, passive], { seed: 1 });
  const { flow, world } = match;
  match.until(() => flow.playing, 'the round');
  for (let id = 4; id < world.high; id++) world.remove(id);
  const all = { 2: [500, 450], 3: [700, 700], ...places };
  for (const [slot, [x, y]] of Object.entries(all)) match.putPlayer(Number(slot), x, y);
  /** @param {number} x @returns {number} the id of a loose ball in the middle row */
  const addBall = (x) => world.add({ shape: 1, kind: 1, x, y: 450, radius: 24, mass: 1 });
  return { ...match, move, addBall };
}

test('a push over the edge gives two points, and the fallen player is out', () => {
  const { flow, world, step } = scene({ 0: [1080, 450], 1: [1180, 450] });
  world.vx[flow.body[0]] = 900;
  step(60);
  assert.equal(flow.score[0], 2);
  assert.equal(flow.alive[1], 0);
  assert.equal(flow.alive[0], 1);
  assert.equal(flow.body[1], NO_BODY, 'its body is removed');
});

test('the hits of a loose ball count for the player who hit it last', () => {
  const { flow, world, step, addBall } = scene({ 0: [900, 450], 1: [1180, 450] });
  addBall(960);
  world.vx[flow.body[0]] = 1000;
  step(40);
  assert.equal(flow.own.hitBy[1], 0);
});

test('a fall long after a hit gives no points', () => {
  const { flow, own, step } = scene({ 0: [800, 450], 1: [1300, 450] });
  own.hitBy[1] = 0;
  own.hitTick[1] = flow.tick - 200;
  step(20);
  assert.equal(flow.alive[1], 0);
  assert.deepEqual([...flow.score], new Array(8).fill(0));
});

test('a player who is out nudges the loose balls', () => {
  const { flow, world, move, step, addBall } = scene({ 0: [1400, 450] });
  const ball = addBall(800);
  move.x = 1;
  step(60);
  assert.equal(flow.alive[0], 0);
  const x = world.x[ball] - 800;
  assert.ok(x > 20 && x < 100, `moved by ${x}`);
});

test('a dash throws forward and has a cooldown; bracing makes heavy', () => {
  const { flow, world, move, step } = scene({ 0: [800, 450], 1: [400, 650] });
  world.angle[flow.body[0]] = 0;
  move.buttons = BUTTON_A;
  step(4);
  assert.ok(world.vx[flow.body[0]] > 350);
  assert.ok(flow.gauge[0] < 0.1);
  move.buttons = BUTTON_B;
  step(4);
  assert.equal(world.invMass[flow.body[0]], 1 / 5);
});
