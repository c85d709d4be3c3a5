/** Checks that Swarm is balanced, by playing it with scripted players and many seeds. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { median } from 'simple-statistics';
import swarm from '../../app/games/swarm.js';
import { NO_BODY, PHASE } from '../../app/game/frame.js';
import { BUTTON_B } from '../../app/game/input.js';
import { all, extent } from '../support/extent.js';
import { GOOD, passive, play, scripted, wild } from '../../bench/scenarios/bots/play.js';
import { planSwarm } from '../../bench/scenarios/bots/plans.js';
import { startMatch } from '../support/bundled-game.js';

const HZ = 60;
const WAVES = 10;
const SEEDS = [1, 2, 3, 4].slice(0, extent(1, 4));

/** @typedef {import('../../bench/scenarios/bots/play.js').Player} Player */

/** Creates a player who knows the game. */
const skilled = (fires = true) => scripted((flow, slot) => planSwarm(flow, slot, fires), GOOD);

/** @param {number} count */
const skilledTeam = (count) => Array.from({ length: count }, () => skilled());

/** @param {number[]} seeds @param {(seed: number) => (Player | undefined)[]} players */
const matches = (seeds, players) =>
  seeds.map((seed) => {
    const [most, lost] = [0, 0].map((none) => new Array(WAVES).fill(none));
    const alive = new Array(8).fill(0);
    const record = play(swarm, {
      seed,
      players: players(seed),
      watch({ flow }) {
        const wave = flow.round - 1;
        most[wave] = Math.max(most[wave], flow.world.count);
        for (let slot = 0; slot < 8; slot++) {
          if (alive[slot] && !flow.alive[slot]) lost[wave]++;
          alive[slot] = flow.alive[slot];
        }
      },
    });
    return { ...record, most, lost, wave: record.rounds.length };
  });

test('a passive player loses in the first waves: the match ends with the last spare ship', () => {
  for (const { job, wave, winners, ticks } of matches([1, 2, 3], () => [passive])) {
    assert.ok(wave <= 3, `reached wave ${wave}`);
    assert.deepEqual([job.flow.phase, job.flow.own.lives[0]], [PHASE.matchOver, 0]);
    assert.equal(winners.length, 0);
    assert.ok(ticks < 120 * HZ);
  }
});

test('random players survive some waves, but do not win', () => {
  const played = [
    ...matches(SEEDS, (seed) => [wild(seed)]),
    ...matches(SEEDS.slice(0, 3), (seed) => [0, 1, 2, 3].map((i) => wild(seed * 4 + i))),
  ];
  for (const { wave, winners } of played) {
    assert.ok(wave >= 3 && wave <= 8, `reached wave ${wave}`);
    assert.equal(winners.length, 0);
  }
});

const pairs = matches(SEEDS, () => skilledTeam(2));

test('skilled players reach late waves, alone or as a team, within minutes', () => {
  const seeds = SEEDS.slice(0, 2);
  const alone = matches(seeds, () => [skilled()]);
  const four = all ? matches(seeds, () => skilledTeam(4)) : [];
  for (const [count, played] of /** @type {const} */ ([
    [1, alone],
    [2, pairs.slice(0, 2)],
    [4, four],
  ])) {
    for (const { wave, ticks, job } of played) {
      assert.ok(wave >= 7, `${count} reached wave ${wave}`);
      assert.ok(job.done);
      assert.ok(ticks > 180 * HZ && ticks < 780 * HZ, `${ticks / HZ} s`);
    }
  }
});

test('each wave has more bodies, and later waves destroy more ships', () => {
  const most = Array.from({ length: WAVES }, (_, wave) =>
    median(pairs.map((match) => match.most[wave]).filter((count) => count > 0)),
  );
  for (let wave = 1; wave < WAVES; wave++) {
    assert.ok(most[wave] > most[wave - 1], `bodies at once: ${most}`);
  }
  const sum = (/** @type {number} */ from, /** @type {number} */ to) =>
    pairs.reduce((all, { lost }) => all + lost.slice(from, to).reduce((p, q) => p + q, 0), 0);
  assert.ok(sum(5, 10) > 3 * sum(0, 5), `ships lost: ${sum(0, 5)} then ${sum(5, 10)}`);
});

test('a player who never fires does not win', () => {
  for (const { winners, job } of matches(SEEDS.slice(0, 2), () => [skilled(false)])) {
    assert.equal(winners.length, 0);
    assert.ok(job.done);
  }
});

test('a wave that begins while the only phone is away is not one of the demo', () => {
  const sizes = [passive, () => undefined].map((during) => {
    const { flow, own, players, step, until } = startMatch(swarm, [passive], { seed: 3 });
    until(() => flow.playing, 'the first wave');
    for (let id = 0; id < flow.world.high; id++) flow.world.remove(id);
    own.toCome[0] = 0;
    players[0] = during;
    until(() => flow.playing && flow.round === 2, 'the second wave');
    step();
    return own.wave[0];
  });
  assert.ok(sizes[1] < 3 * sizes[0], `${sizes}: three bots play meanwhile`);
});

test('a wave ends after a time limit even if foes are left', () => {
  const { job } = play(swarm, {
    seed: 3,
    players: [passive],
    maxTicks: 90 * HZ,
    watch: ({ flow }) => flow.own.safe.fill(100), // invulnerable
  });
  assert.equal(job.flow.round, 2);
});

test('all players win when they survive the final wave', () => {
  const { winners, job } = play(swarm, {
    seed: 2,
    options: { bodies: 200 },
    players: [passive, passive, passive],
    watch: ({ flow }) => flow.own.safe.fill(100),
  });
  assert.deepEqual(winners, [0, 1, 2]);
  assert.equal(job.flow.round, WAVES);
});

test('a player who joins gets a ship at once, and a player who leaves loses it', () => {
  const { flow, players, step } = startMatch(swarm, [], { seed: 1 });
  const gone = () => undefined;
  players[3] = passive;
  step(300);
  assert.deepEqual([...flow.alive], [0, 0, 0, 1, 0, 0, 0, 0], 'no bots while a human plays');
  players[6] = passive;
  step();
  assert.notEqual(flow.body[6], NO_BODY);
  players[6] = gone;
  step();
  assert.equal(flow.body[6], NO_BODY);
  players[3] = gone;
  step();
  const bots = flow.bot.reduce((sum, bot) => sum + bot);
  assert.equal(bots, 3, 'the demo continues when all players have left');
});

test('the pulse clears the space around the ship, and has a cooldown', () => {
  const move = { x: 0, y: 0, buttons: 0 };
  const { flow, own, world, step } = startMatch(swarm, [() => move], { seed: 4 });
  const stepSafely = (/** @type {number} */ ticks) => {
    for (let i = 0; i < ticks; i++, own.safe[0] = 100) step();
  };
  const countNear = () =>
    [...world.kind.keys()].filter((id) => {
      if (world.shape[id] === 0 || world.kind[id] < 2 || world.kind[id] > 4) return false;
      const ship = flow.body[0];
      return Math.hypot(world.x[id] - world.x[ship], world.y[id] - world.y[ship]) < 150;
    }).length;
  stepSafely(1150);
  const before = countNear();
  move.buttons = BUTTON_B;
  stepSafely(15);
  assert.ok(flow.gauge[0] < 0.1);
  assert.ok(before > 8, `${before} foes near`);
  assert.ok(countNear() < before / 4, `${countNear()} of ${before} foes left`);
});

test('the option `bodies` limits the number of bodies', () => {
  for (const bodies of [100, extent(2000, 8000)]) {
    const { world, step, frame } = startMatch(swarm, skilledTeam(8), { seed: 1, bodies });
    let most = 0;
    for (let tick = 0; tick < 3600; tick++) {
      step();
      most = Math.max(most, world.count);
    }
    assert.ok(most <= bodies + 160);
    assert.ok(most > bodies * 0.4);
    assert.ok(frame().bodies.count > bodies * 0.3);
  }
});
