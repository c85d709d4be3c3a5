import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_EVENTS, NO_OWNER, PHASE, PLAYER_FLAG } from '../../app/game/frame.js';
import { BUTTON_A, BUTTON_B, packInput } from '../../app/game/input.js';
import { MATCH_OVER, READY, ROUND_OVER, start } from './tiny-game.js';

const HERE = packInput(0, 0, 0, 0, 0);

test('a match runs from the countdown through its rounds to the podium, and ends', () => {
  const { job, step, frame } = start();
  /** @type {[number, number, number][]} */
  const turns = [];
  let last = '';
  while (!job.done) {
    step();
    const { phase, round } = frame();
    if (`${phase} ${round}` !== last) turns.push([phase, round, job.tick]);
    last = `${phase} ${round}`;
  }
  const phases = [PHASE.ready, PHASE.play, PHASE.roundOver];
  const rounds = [1, 2].flatMap((round) => phases.map((phase) => [phase, round]));
  const seen = turns.map(([phase, round]) => [phase, round]);
  assert.deepEqual(seen, [...rounds, [PHASE.matchOver, 2]]);
  const ticks = turns.map(([, , tick]) => tick);
  assert.equal(ticks[1] - ticks[0], READY - 1);
  assert.equal(ticks[3] - ticks[2], ROUND_OVER);
  assert.equal(job.tick - ticks[6], MATCH_OVER);
  step();
  assert.equal(job.tick, ticks[6] + MATCH_OVER, 'no tick after the end');
});

test('the frame shows the countdown, and bodies stand still until it ends', () => {
  const { step, frame } = start();
  step(1);
  const before = frame();
  assert.equal(before.phase, PHASE.ready);
  assert.ok(Math.abs(before.seconds - 1) < 0.05);
  step(30);
  const later = frame();
  assert.ok(Math.abs(later.seconds - 0.5) < 0.1);
  assert.deepEqual(later.bodies.x, before.bodies.x);
  step(40);
  assert.notDeepEqual(frame().bodies.x, before.bodies.x);
});

test('bots take the lowest free slots', () => {
  const { words, step, frame } = start();
  const seats = () => frame().players.map(({ flags }) => flags & ~PLAYER_FLAG.winner);
  const bot = PLAYER_FLAG.bot | PLAYER_FLAG.alive;
  const human = PLAYER_FLAG.present | PLAYER_FLAG.alive;
  step();
  assert.deepEqual(seats(), [bot, bot, 0]);
  words[0] = HERE;
  step();
  assert.deepEqual(seats(), [human, bot, 0]);
  words[2] = words[0];
  step();
  assert.deepEqual(seats(), [human, 0, human]);
  words[0] = 0;
  step();
  assert.deepEqual(seats(), [bot, 0, human]);
});

test('a player who joins during a round takes over a bot, or waits for the next round', () => {
  const { words, step, frame } = start({
    settle: (flow) => {
      if (flow.playing && flow.phaseTicks >= 100) flow.endRound(flow.round >= 2);
    },
  });
  words[0] = HERE;
  step(READY + 10);
  words[1] = words[0]; // takes over a bot
  words[2] = words[0]; // an empty slot
  step(1);
  const { present, alive, bot } = PLAYER_FLAG;
  const flagsOf = () => frame().players.map(({ flags }) => flags);
  assert.deepEqual(flagsOf(), [present | alive, present | alive, present]);
  words[0] = 0; // a bot replaces the player who left
  step(1);
  assert.equal(flagsOf()[0], bot | alive);
  step(100 + ROUND_OVER);
  assert.equal(frame().round, 2);
  assert.deepEqual(flagsOf(), [0, present | alive, present | alive]);
});

test('with castAlways, a bot stands in for a player who leaves before another one joins', () => {
  const { job, words, step } = start({ castAlways: true });
  const { alive, bot } = job.flow;
  words[2] = HERE;
  step(READY + 10);
  assert.deepEqual([...bot], [1, 0, 0]);
  alive.fill(1);
  words[2] = 0;
  step();
  assert.deepEqual([...bot], [1, 0, 1]);
  words[1] = HERE;
  step();
  assert.deepEqual([...bot], [1, 0, 0]);
});

test('a new player is learning until shortly after the first use of a control, or for some seconds', () => {
  const { job, words, step } = start({ settle: () => {} });
  const { learning } = job.flow;
  words[0] = packInput(0, 0, 0, 5, 0); // presses before joining are no use
  words[1] = words[0];
  step(400);
  assert.ok(learning[0] > 180 && learning[1] > 180, `${learning}`);
  assert.equal(learning[2], 0, 'nobody plays this slot');
  words[1] = packInput(127, 0, 0, 5, 0);
  step();
  assert.ok(learning[1] > 60 && learning[1] <= 180, `${learning[1]}`);
  step(180);
  assert.ok(learning[0] > 0 && learning[1] === 0);
  step(400);
  assert.equal(learning[0], 0);
  words[0] = 0;
  step();
  words[0] = packInput(0, 0, 0, 5, 0);
  step();
  assert.ok(learning[0] > 600, 'somebody else');
  words[0] = 0;
  step();
  assert.equal(learning[0], 0, 'a bot');
});

test('a tap shorter than a tick counts once; presses before joining do not count', () => {
  const { job, words, step } = start();
  const taps = () => [...job.flow.own.taps];
  words[0] = packInput(0, 0, 0, 9, 14);
  step(READY + 1);
  assert.deepEqual(taps(), [0, 0, 0, 0, 0, 0]);
  words[0] = packInput(0, 0, 0, 10, 14); // released again, so not held
  step(5);
  assert.deepEqual(taps(), [1, 0, 0, 0, 0, 0]);
  words[0] = packInput(0, 0, BUTTON_A | BUTTON_B, 12, 17); // the counters wrap around at 16
  step(5);
  assert.deepEqual(taps(), [3, 0, 0, 3, 0, 0]);
});

test('the stick has a circular range and a dead zone', () => {
  const { job, words, step } = start();
  const stick = () => {
    step();
    return [job.flow.stickX[0], job.flow.stickY[0]];
  };
  words[0] = packInput(127, 127, 0, 0, 0);
  const [x, y] = stick();
  assert.ok(Math.abs(x * x + y * y - 1) < 1e-9, 'not longer in the diagonal');
  words[0] = packInput(9, -8, 0, 0, 0);
  assert.deepEqual(stick().map(Math.abs), [0, 0]);
  words[0] = packInput(-64, 0, 0, 0, 0);
  assert.ok(Math.abs(stick()[0] + 64 / 127) < 1e-9);
});

test('the frame repeats the input sequence number of each slot', () => {
  const { sequences, step, frame } = start();
  sequences.set([1, 4294967295, 77]);
  step();
  const shown = frame().players.map(({ inputSequence }) => inputSequence);
  assert.deepEqual(shown, [1, 4294967295, 77]);
});

test('each frame contains the newest events; their numbers continue and wrap around', () => {
  const { job, step, frame } = start();
  step();
  for (let i = 0; i < 3; i++) job.flow.event(i, 1, i * 10, 5);
  step();
  const seen = frame().events.map(({ sequence, type }) => `${sequence} of type ${type}`);
  assert.deepEqual(seen, ['0 of type 0', '1 of type 1', '2 of type 2']);
  for (let i = 3; i < 65540; i++) job.flow.event(i & 1, NO_OWNER, 1, 2);
  const numbers = frame().events.map(({ sequence }) => sequence);
  const newest = Array.from({ length: MAX_EVENTS }, (_, i) => (65540 - MAX_EVENTS + i) & 0xffff);
  assert.deepEqual(numbers, newest);
});

test('the highest score wins; equal scores share the win', () => {
  const { job, words, step, frame } = start();
  words.fill(HERE);
  step(READY + 1);
  for (const [slot, taps] of [2, 5, 5].entries()) words[slot] = packInput(0, 0, 0, taps, 0);
  while (job.flow.phase !== PHASE.matchOver) step();
  const won = frame().players.map(({ flags }) => (flags & PLAYER_FLAG.winner) !== 0);
  assert.deepEqual(won, [false, true, true]);
});
