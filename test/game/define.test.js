import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineGame } from '../../app/game/define.js';
import { EVENTS_KEPT } from '../../app/game/event-ring.js';
import { NO_OWNER, PHASE, PLAYER_FLAG } from '../../app/game/frame.js';
import { decodeFrame } from '../support/decode-frame.js';
import { BUTTON_A, BUTTON_B, packInput } from '../../app/game/input.js';
import { SHAPE } from '../../app/game/world.js';

const READY = 60;
const ROUND_OVER = 120;
const MATCH_OVER = 180;

/** @typedef {Partial<import('../../app/game/define.js').GameSpec>} Parts */

/** A game of three slots in which balls drift, and each tap of A is a point. @param {Parts} [parts] */
function tinyGame(parts = {}) {
  return defineGame({
    id: 'tiny',
    title: 'Tiny',
    tagline: '',
    rules: [],
    players: { min: 1, max: 3 },
    controls: { stick: '', a: '', b: '' },
    view: { width: 1600, height: 900, background: '#000000', kinds: [], events: [], extra: [] },
    options: { balls: { default: 5, min: 0, max: 50 } },
    seconds: { ready: READY / 60, roundOver: ROUND_OVER / 60, matchOver: MATCH_OVER / 60 },
    border: 'bounce',
    state: ({ balls }) => ({ casts: 1, taps: 6, marks: balls }),
    world: ({ balls }) => ({ capacity: balls + 3 }),
    bots: (humans) => Math.max(0, 2 - humans),
    setUpRound(flow) {
      const { world } = flow;
      world.clear();
      flow.alive.fill(0);
      flow.own.casts[0]++;
      for (let i = 0; i < flow.options.balls; i++) {
        const x = world.random() * 1600;
        world.add({ shape: SHAPE.circle, kind: 0, x, y: 450, vx: 100, vy: 30, radius: 9 });
      }
      for (let slot = 0; slot < 3; slot++) flow.alive[slot] = flow.seated(slot) ? 1 : 0;
    },
    steer(flow) {
      for (let slot = 0; slot < 3; slot++) {
        if (flow.bot[slot]) flow.command(slot, 1, 0, 0);
        flow.own.taps[slot] += flow.tapsA[slot];
        flow.own.taps[slot + 3] += flow.tapsB[slot];
        flow.score[slot] = flow.own.taps[slot];
      }
    },
    settle(flow) {
      if (flow.playing && flow.phaseTicks >= 30) flow.endRound(flow.round >= 2);
    },
    ...parts,
  });
}

/** @param {Parts} [parts] @param {Record<string, unknown>} [options] */
function start(parts, options) {
  const game = tinyGame(parts);
  const job = game.start({ seed: 3, ...options });
  const words = new Int32Array(3);
  const sequences = new Uint32Array(3);
  const frame = new Uint8Array(game.sizes(options).frameBytes);
  return {
    game,
    job,
    words,
    sequences,
    /** @param {number} [ticks] */
    step(ticks = 1) {
      for (let i = 0; i < ticks; i++) {
        job.step(
          (slot) => words[slot],
          (slot) => sequences[slot],
        );
      }
    },
    frame: () => decodeFrame(frame.subarray(0, job.writeFrame(frame))),
    checkpoint() {
      const bytes = new Uint8Array(game.sizes(options).checkpointBytes);
      assert.equal(job.checkpoint(bytes), bytes.length);
      return bytes;
    },
  };
}

test('a match goes from countdown to play, to the next round, to the podium, and is done', () => {
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
  assert.deepEqual(
    turns.map(([phase, round]) => [phase, round]),
    [
      [PHASE.ready, 1],
      [PHASE.play, 1],
      [PHASE.roundOver, 1],
      [PHASE.ready, 2],
      [PHASE.play, 2],
      [PHASE.roundOver, 2],
      [PHASE.matchOver, 2],
    ],
  );
  const ticks = turns.map(([, , tick]) => tick);
  assert.equal(ticks[1] - ticks[0], READY - 1);
  assert.equal(ticks[3] - ticks[2], ROUND_OVER);
  assert.equal(job.tick - ticks[6], MATCH_OVER);
  step();
  assert.equal(job.tick, ticks[6] + MATCH_OVER, 'a match that is done stands still');
});

test('the countdown is told in the frame, and bodies wait for its end', () => {
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

test('bots fill up beside the humans, from the lowest free slot', () => {
  const { words, step, frame } = start();
  const seats = () => frame().players.map(({ flags }) => flags & ~PLAYER_FLAG.winner);
  const bot = PLAYER_FLAG.bot | PLAYER_FLAG.alive;
  const human = PLAYER_FLAG.present | PLAYER_FLAG.alive;
  step();
  assert.deepEqual(seats(), [bot, bot, 0]);
  words[0] = packInput(0, 0, 0, 0, 0);
  step();
  assert.deepEqual(seats(), [human, bot, 0]);
  words[2] = words[0];
  step();
  assert.deepEqual(seats(), [human, 0, human]);
  words[0] = 0;
  step();
  assert.deepEqual(seats(), [bot, 0, human]);
});

test('who comes while a round runs waits for the next, or takes over a bot at once', () => {
  const { words, step, frame } = start({
    settle: (flow) => {
      if (flow.playing && flow.phaseTicks >= 100) flow.endRound(flow.round >= 2);
    },
  });
  words[0] = packInput(0, 0, 0, 0, 0);
  step(READY + 10);
  words[1] = words[0]; // a bot plays here
  words[2] = words[0]; // nobody plays here
  step(1);
  const { present, alive, bot } = PLAYER_FLAG;
  assert.deepEqual(
    frame().players.map(({ flags }) => flags),
    [present | alive, present | alive, present],
  );
  words[0] = 0; // a bot plays on for who left
  step(1);
  assert.equal(frame().players[0].flags, bot | alive);
  step(100 + ROUND_OVER);
  assert.equal(frame().round, 2);
  assert.deepEqual(
    frame().players.map(({ flags }) => flags),
    [0, present | alive, present | alive],
  );
});

test('a tap shorter than a tick is seen, once; what was pressed before coming in is not', () => {
  const { job, words, step } = start();
  const taps = () => [...job.flow.own.taps];
  words[0] = packInput(0, 0, 0, 9, 14);
  step(READY + 1);
  assert.deepEqual(taps(), [0, 0, 0, 0, 0, 0]);
  words[0] = packInput(0, 0, 0, 10, 14); // up again already: not held
  step(5);
  assert.deepEqual(taps(), [1, 0, 0, 0, 0, 0]);
  words[0] = packInput(0, 0, BUTTON_A | BUTTON_B, 12, 17); // the counters go round at 16
  step(5);
  assert.deepEqual(taps(), [3, 0, 0, 3, 0, 0]);
});

test('a press between a checkpoint and the restart from it is not lost', () => {
  const first = start();
  first.words[0] = packInput(0, 0, 0, 1, 0);
  first.step(READY + 5);
  const bytes = first.checkpoint();
  first.words[0] = packInput(0, 0, 0, 2, 0);
  first.step(3);
  const second = start();
  second.job.restore(bytes);
  second.words[0] = packInput(0, 0, 0, 2, 0);
  second.step(1);
  assert.equal(second.job.flow.own.taps[0], 1);
});

test('a job that goes on from a checkpoint writes the same frames and the same bytes', () => {
  const first = start();
  first.words[1] = packInput(50, -90, 0, 3, 0);
  first.step(READY + 12);
  const bytes = first.checkpoint();
  const second = start({}, { seed: 999 });
  second.job.restore(bytes);
  second.words[1] = first.words[1];
  for (let tick = 0; tick < 400; tick++) {
    first.step();
    second.step();
    assert.deepEqual(second.frame(), first.frame());
  }
  assert.deepEqual(second.checkpoint(), first.checkpoint());
});

test('a checkpoint of other options is refused, and the match goes on as it was', () => {
  const small = start({}, { balls: 1 });
  const large = start({}, { balls: 2 });
  large.step(10);
  assert.throws(() => large.job.restore(small.checkpoint()), { code: 'PITV_CHECKPOINT_INVALID' });
  assert.throws(() => large.job.restore(new Uint8Array(5)), { code: 'PITV_CHECKPOINT_INVALID' });
  assert.equal(large.job.tick, 10);
});

test('the stick is a circle with a dead middle', () => {
  const { job, words, step } = start();
  const stick = () => {
    step();
    return [job.flow.stickX[0], job.flow.stickY[0]];
  };
  words[0] = packInput(127, 127, 0, 0, 0);
  const [x, y] = stick();
  assert.ok(Math.abs(x * x + y * y - 1) < 1e-9, 'no faster in the diagonal');
  words[0] = packInput(9, -8, 0, 0, 0);
  assert.deepEqual(stick().map(Math.abs), [0, 0]);
  words[0] = packInput(-64, 0, 0, 0, 0);
  assert.ok(Math.abs(stick()[0] + 64 / 127) < 1e-9);
});

test('the input sequence of each slot is echoed', () => {
  const { sequences, step, frame } = start();
  sequences.set([1, 4294967295, 77]);
  step();
  assert.deepEqual(
    frame().players.map(({ inputSequence }) => inputSequence),
    [1, 4294967295, 77],
  );
});

test('the newest events are in each frame, their numbers run on and go round', () => {
  const { job, step, frame } = start();
  step();
  for (let i = 0; i < 3; i++) job.flow.event(i, 1, i * 10, 5);
  step();
  assert.deepEqual(
    frame().events.map(({ sequence, type }) => [sequence, type]),
    [
      [0, 0],
      [1, 1],
      [2, 2],
    ],
  );
  for (let i = 3; i < 65540; i++) job.flow.event(i & 1, NO_OWNER, 1, 2);
  const { events } = frame();
  assert.equal(events.length, EVENTS_KEPT);
  assert.deepEqual(
    events.map(({ sequence }) => sequence),
    Array.from({ length: EVENTS_KEPT }, (_, i) => (65540 - EVENTS_KEPT + i) & 0xffff),
  );
});

test('the highest score wins; equal ones share it', () => {
  const { job, words, step, frame } = start();
  words.fill(packInput(0, 0, 0, 0, 0));
  step(READY + 1);
  for (const [slot, taps] of [2, 5, 5].entries()) words[slot] = packInput(0, 0, 0, taps, 0);
  while (job.flow.phase !== PHASE.matchOver) step();
  assert.deepEqual(
    frame().players.map(({ flags }) => (flags & PLAYER_FLAG.winner) !== 0),
    [false, true, true],
  );
});

test('a bad option is named with its range', () => {
  const game = tinyGame();
  for (const balls of [-1, 51, 1.5, NaN, '5']) {
    assert.throws(() => game.start({ balls }), {
      code: 'PITV_OPTION_INVALID',
      message: /balls.*0 to 50/,
    });
    assert.throws(() => game.sizes({ balls }), { code: 'PITV_OPTION_INVALID' });
  }
  assert.equal(game.start({ balls: 0 }).tick, 0);
  assert.throws(() => game.start({ ball: 1 }), {
    code: 'PITV_OPTION_INVALID',
    message: 'tiny: there is no option "ball". Options: balls, seed, match.',
  });
});

test('the options of a rehearsal are options of the game, in more shapes than V8 tells apart', () => {
  const game = tinyGame();
  const runs = Array.from({ length: 10 }, (_, run) => game.rehearsalOptions(run));
  for (const options of runs) assert.equal(game.start(options).tick, 0);
  assert.ok(new Set(runs.map((options) => Object.keys(options).join())).size > 4);
});

test('any seed and match number is taken', () => {
  for (const seed of [0, -1, 1e300, NaN, undefined, '12', 4294967295]) {
    assert.equal(tinyGame().start({ seed, match: seed }).tick, 0);
  }
});

test('the sizes are those that a job needs, at the largest', () => {
  const { game, job, step, checkpoint } = start({}, { balls: 50 });
  const sizes = game.sizes({ balls: 50 });
  assert.equal(sizes.inputSlots, 3);
  assert.equal(checkpoint().length, sizes.checkpointBytes);
  for (let i = 0; i < 40; i++) job.flow.event(0, 0, 0, 0);
  for (let i = 0; i < 3; i++) {
    job.flow.world.add({ shape: SHAPE.circle, kind: 0, x: 0, y: 0, radius: 1 });
  }
  step();
  assert.ok(job.writeFrame(new Uint8Array(sizes.frameBytes)) <= sizes.frameBytes);
  assert.throws(() => job.checkpoint(new Uint8Array(sizes.checkpointBytes - 1)), {
    code: 'PITV_CHECKPOINT_INVALID',
  });
});

test('a game needs a plain name', () => {
  assert.throws(() => tinyGame({ id: 'Not/Plain' }), { code: 'PITV_GAME_INVALID' });
});
