import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { RandomPlayers } from '../../app/game-test/play.js';
import { NO_BODY, NO_OWNER, PHASE } from '../../app/game/frame.js';
import { BUTTON_A, BUTTON_B } from '../../app/game/input.js';
import { BUNDLED } from '../../app/packages/catalog.js';
import { passive, play } from '../../bench/scenarios/bots/play.js';
import { loadBundled, startMatch } from '../support/bundled-game.js';

const HZ = 60;
/** @type {{default: import('../support/bundled-game.js').Game}} */
const { default: game } = await loadBundled('kick-off');
/** @type {typeof import('../../app/games/kick-off/pitch.js')} */
const pitch = await loadBundled('kick-off', 'pitch.js');
const { BALL_RADIUS, CENTRE_X, CENTRE_Y, EVENT, GOAL_HALF, KIND, LEFT, RIGHT, SLOTS } = pitch;
const { MODE, PLAYER_RADIUS } = pitch;
const { TARGET_GOALS } = await loadBundled('kick-off', 'rules.js');

/**
 * Starts a match and plays until the ball is live.
 * @param {Parameters<typeof startMatch>[1]} [players] by slot @param {Record<string, number>} [options] of the game
 */
function start(players, options) {
  const any = startMatch(game, players, options);
  const { flow, world, own } = any;
  const match = {
    ...any,
    ball: own.ball[0],
    live: () => match.until(() => flow.playing && own.mode[0] === MODE.live, 'the whistle'),
    /** @param {number} x @param {number} y @param {number} [vx] @param {number} [vy] */
    putBall(x, y, vx = 0, vy = 0) {
      [world.x[match.ball], world.y[match.ball]] = [x, y];
      [world.vx[match.ball], world.vy[match.ball]] = [vx, vy];
    },
    /** Puts the ball into a goal. @param {number} team whose goal it is */
    score(team) {
      match.live();
      own.touch.fill(NO_OWNER);
      match.putBall(team === 0 ? LEFT - BALL_RADIUS - 1 : RIGHT + BALL_RADIUS + 1, CENTRE_Y);
      match.step();
    },
    events: () => any.frame().events.map(({ type }) => type),
  };
  match.live();
  return match;
}

test('each picture is used, and each one is there', () => {
  const pictures = game.view.kinds.flatMap(({ picture }) => picture ?? []);
  const art = readdirSync(join(BUNDLED, 'kick-off/art')).map((name) => `art/${name}`);
  assert.deepEqual([...pictures].sort(), art.sort());
});

test('a ball behind the goal line is a goal for the other team, and for its player who touched it last', () => {
  const match = start();
  const { flow, own } = match;
  match.putBall(LEFT - BALL_RADIUS + 2, CENTRE_Y); // on the line
  match.step();
  assert.deepEqual([...flow.teamScore], [0, 0]);
  const [tiger, shark] = [0, 1].map((team) => flow.team.indexOf(team));
  match.score(1);
  assert.deepEqual([...flow.teamScore], [1, 0]);
  assert.equal(own.mode[0], MODE.goal);
  assert.ok(match.events().includes(EVENT.goal));
  for (const { touches, scores } of [
    { touches: [shark, tiger], scores: [0, 1] }, // a tiger deflects the shot of a shark
    { touches: [tiger], scores: [0, 0] }, // an own goal
  ]) {
    match.live();
    flow.score.fill(0);
    own.touch.fill(NO_OWNER);
    for (const slot of touches) {
      own.touch[flow.team[slot]] = slot;
      own.touchTick[flow.team[slot]] = flow.tick;
    }
    match.putBall(LEFT - BALL_RADIUS - 1, CENTRE_Y);
    match.step();
    assert.deepEqual([flow.score[tiger], flow.score[shark]], scores);
  }
  assert.deepEqual([...flow.teamScore], [1, 2]);
});

test('after a goal, ball and players stand at the kick-off, and the other team is at the ball', () => {
  const match = start();
  const { flow, world, own, ball } = match;
  match.score(1);
  match.until(() => own.mode[0] === MODE.set, 'the kick-off');
  assert.deepEqual([world.x[ball], world.y[ball]], [CENTRE_X, CENTRE_Y]);
  const near = [];
  for (let slot = 0; slot < SLOTS; slot++) {
    const id = flow.body[slot];
    if (id === NO_BODY) continue;
    const side = world.x[id] < CENTRE_X ? 0 : 1;
    assert.equal(side, flow.team[slot], `slot ${slot} stands in its own half`);
    if (Math.abs(world.x[id] - CENTRE_X) < 200) near.push(flow.team[slot]);
  }
  assert.deepEqual(near, [1], 'the team that let the goal in kicks off');
  const clock = own.clock[0];
  const x = world.x[flow.body[0]];
  match.step(20);
  assert.equal(world.x[flow.body[0]], x, 'nobody moves before the whistle');
  assert.equal(own.clock[0], clock, 'the clock stands');
  match.live();
  match.step(5);
  assert.ok(own.clock[0] < clock);
});

test('five goals win at once, and so does a lead when the time is over', () => {
  for (const goals of [TARGET_GOALS, 1]) {
    const match = start();
    const { flow, own } = match;
    for (let goal = 1; goal <= goals; goal++) match.score(0);
    if (goals < TARGET_GOALS) {
      match.live();
      own.clock[0] = 1;
      match.step();
      assert.equal(flow.phase, PHASE.roundOver);
    }
    match.until(() => flow.phase === PHASE.matchOver, 'the podium');
    assert.deepEqual([...flow.teamScore], [0, goals]);
    for (let slot = 0; slot < SLOTS; slot++) {
      const won = flow.seated(slot) && flow.team[slot] === 1;
      assert.equal(flow.winner[slot], won ? 1 : 0);
    }
  }
});

test('a draw leads to a golden goal: the goals grow, and the next goal ends the match', () => {
  const match = start([passive, passive, passive, passive]);
  const { flow, own, world, ball } = match;
  own.clock[0] = 1;
  match.step();
  assert.equal(flow.phase, PHASE.play);
  assert.equal(own.golden[0], 1);
  assert.equal(world.kind[ball], KIND.goldenBall);
  assert.ok(match.events().includes(EVENT.golden));
  match.live();
  match.step(100);
  assert.ok(own.goalHalf[0] > GOAL_HALF + 5);
  const posts = [...world.kind].flatMap((kind, id) => (kind === KIND.post ? world.y[id] : []));
  const areAtGoals = posts.map((y) => Math.abs(Math.abs(y - CENTRE_Y) - own.goalHalf[0]) < 1e-9);
  assert.deepEqual(areAtGoals, [true, true, true, true], 'the posts move with the goals');
  match.score(1);
  match.until(() => flow.phase === PHASE.roundOver, 'the end');
  assert.deepEqual([...flow.teamScore], [1, 0]);
});

test('a golden goal that nobody scores is a draw in the end', () => {
  const match = start([passive, passive, passive, passive]);
  const { flow, own } = match;
  own.clock[0] = 1;
  match.until(() => flow.phase === PHASE.matchOver, 'the end');
  assert.deepEqual([...flow.winner.subarray(0, 4)], [1, 1, 1, 1]);
});

test('a kick sends a near ball towards the stick, also when the button comes first', () => {
  const move = { x: 0, y: 0, buttons: 0 };
  const match = start([() => move, passive, passive, passive]);
  const { world, ball } = match;
  match.putPlayer(0, 600, 300);
  match.putBall(600 + PLAYER_RADIUS + BALL_RADIUS + 4, 300);
  Object.assign(move, { x: 0, y: -1, buttons: BUTTON_A });
  match.step();
  assert.ok(world.vy[ball] < -400, `${world.vy[ball]}`);
  assert.ok(world.vx[ball] > 200, `${world.vx[ball]}`);
  assert.ok(match.events().includes(EVENT.kick));
  Object.assign(move, { x: 0, y: 0, buttons: 0 });
  match.step(60);
  match.putPlayer(0, 600, 300);
  match.putBall(720, 300, -600, 0);
  Object.assign(move, { x: 1, y: 0, buttons: BUTTON_A });
  match.step(8);
  assert.ok(world.vx[ball] > 500, 'the ball comes while the press still counts');
});

test('a dash knocks an opponent away, but not a teammate', () => {
  const move = { x: 0, y: 0, buttons: 0 };
  const match = start([() => move, passive, passive, passive]);
  const { flow, own, world } = match;
  const mate = flow.team.indexOf(flow.team[0], 1);
  const opponent = flow.team.indexOf(1 - flow.team[0]);
  for (const other of [mate, opponent]) {
    const stuns = other === opponent;
    match.until(() => own.dashCool[0] === 0, 'the dash');
    match.putBall(CENTRE_X, 800);
    match.putPlayer(0, 500, 250);
    match.putPlayer(other, 600, 250);
    Object.assign(move, { x: 1, y: 0, buttons: BUTTON_B });
    match.step(6);
    Object.assign(move, { x: 0, y: 0, buttons: 0 });
    assert.equal(own.stun[other] > 0, stuns, `slot ${other}`);
    assert.ok(world.vx[flow.body[other]] > (stuns ? 400 : 100));
    match.step(2);
  }
});

/** Returns how far the bot of a match tilts its stick. @param {ReturnType<typeof start>} match */
function tiltOf({ flow: { bot, stickX, stickY }, putBall, putPlayer, step }) {
  let most = 0;
  for (let i = 0; i < 90; i++) {
    putBall(1300, 100); // out of reach
    for (let slot = 0; slot < 4; slot++) putPlayer(slot, 300, 200 * slot + 100);
    step();
    if (i < 30) continue; // they may still do what they had decided before
    bot.forEach((is, slot) => (most = Math.max(most, is * Math.hypot(stickX[slot], stickY[slot]))));
  }
  return most.toFixed(2);
}

test('bots have three strengths; one that stands in for a person is as strong as the match needs', () => {
  const strengths = [0, 1, 2].map((botStrength) => start([], { botStrength }));
  assert.deepEqual(strengths.map(tiltOf), ['0.78', '0.89', '1.00']);
  const match = start([passive, passive, passive]);
  const team = match.flow.team[match.flow.bot.indexOf(1)];
  const tilts = [-2, 0, 1, 9].map((lead) => {
    match.flow.teamScore.fill(0)[lead > 0 ? team : 1 - team] = Math.abs(lead);
    return tiltOf(match);
  });
  assert.deepEqual(tilts, ['1.00', '0.78', '0.67', '0.56']);
});

test('a team that is behind runs a little faster, and one that is ahead a little slower', () => {
  const match = start(new Array(4).fill(() => ({ x: 0, y: 1, buttons: 0 })));
  const { flow, world } = match;
  flow.teamScore[0] = 4;
  for (let slot = 0; slot < 4; slot++) match.putPlayer(slot, 400 + 200 * slot, 300);
  match.step();
  const speeds = [0, 1].map((team) => world.vy[flow.body[flow.team.indexOf(team)]].toFixed(1));
  assert.deepEqual(speeds, ['13.2', '16.8']);
});

test('a bot does not dash at a player who has not found the controls yet', () => {
  for (const learning of [600, 0]) {
    const match = start([passive]);
    const { flow, own } = match;
    const bot = flow.team.indexOf(1 - flow.team[0]);
    let dashes = 0;
    for (let tick = 0; tick < 300; tick++) {
      flow.learning.fill(learning);
      own.dashCool.fill(0);
      for (let slot = 0; slot < 4; slot++) match.putPlayer(slot, 300, 100 + 200 * slot);
      match.putBall(800, 450);
      match.putPlayer(0, 800 + 50, 450);
      match.putPlayer(bot, 800 + (flow.team[bot] === 0 ? -100 : 100), 450);
      match.step();
      if (flow.tapsB[bot] > 0) dashes++;
    }
    assert.equal(dashes === 0, learning > 0, `${dashes} dashes`);
  }
});

test('bots score against an empty side', () => {
  for (const attackers of [0, 1]) {
    let scored = 0;
    for (let seed = 1; seed <= 4; seed++) {
      const record = play(game, {
        seed,
        maxTicks: 40 * HZ,
        watch({ flow: { world, body, team } }) {
          for (let slot = 0; slot < SLOTS; slot++) {
            if (body[slot] === NO_BODY || team[slot] === attackers) continue;
            world.x[body[slot]] = team[slot] === 0 ? LEFT + 60 : RIGHT - 60; // in a corner
            world.y[body[slot]] = 640 + 40 * slot;
          }
        },
      });
      scored += record.job.flow.teamScore[attackers];
      assert.equal(record.job.flow.teamScore[1 - attackers], 0);
    }
    assert.ok(scored >= 4, `team ${attackers} has ${scored} goals in four matches`);
  }
});

test('a bot goes for the ball when the teammate beside it does not move', () => {
  const match = start([passive, passive]);
  const { flow, world, ball } = match;
  match.putPlayer(0, CENTRE_X - 70, CENTRE_Y);
  match.putPlayer(1, CENTRE_X + 70, CENTRE_Y);
  const before = world.x[ball];
  match.until(() => Math.abs(world.x[ball] - before) > 60, 'a bot moves the ball');
  assert.ok(flow.phaseTicks < 6 * HZ);
});

test('matches of bots have goals, a winner, and neither side has an advantage', () => {
  const wins = [0, 0];
  let goals = 0;
  const seeds = 16;
  for (let seed = 1; seed <= seeds; seed++) {
    const { job, ticks } = play(game, { seed });
    const [tigers, sharks] = job.flow.teamScore;
    assert.ok(job.done);
    assert.ok(ticks > 30 * HZ && ticks < 300 * HZ, `a match of ${ticks / HZ} s`);
    goals += tigers + sharks;
    wins[tigers > sharks ? 0 : 1] += tigers === sharks ? 0 : 1;
  }
  const each = goals / seeds;
  assert.ok(each > 1.5 && each < 8, `${each} goals a match`);
  assert.ok(wins[0] + wins[1] >= seeds - 2, `${wins} matches were won`);
  assert.ok(Math.min(...wins) >= 3, `wins ${wins}`);
});

test('the ball stays on the pitch while people and bots come and go', () => {
  const players = new RandomPlayers(SLOTS, 9);
  const { flow, job, world, ball } = start();
  const { body } = flow;
  while (job.tick < 9000 && !job.done) {
    players.advance();
    job.step(players.readWord, players.readSequence);
    for (let slot = 0; slot < SLOTS; slot++) {
      assert.equal(body[slot] !== NO_BODY, flow.seated(slot), 'players in the match have bodies');
    }
    assert.ok(world.x[ball] > LEFT - 80 && world.x[ball] < RIGHT + 80, `x ${world.x[ball]}`);
    assert.ok(world.y[ball] > 50 && world.y[ball] < 850, `y ${world.y[ball]}`);
  }
});
