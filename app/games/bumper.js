/**
 * Bumper: balls on a round arena that shrinks. Push the others off, with yourself or with the loose
 * balls; the last one on the arena wins the round.
 */
import { defineGame } from '../game/define.js';
import { NO_BODY, NO_OWNER } from '../game/flow.js';
import { cos256, sin256 } from '../game/trig.js';
import { SHAPE } from '../game/world.js';
import { think } from './bumper/bot.js';
import { drive } from './bumper/drive.js';
import { ROUND_TICKS, arenaRadius, dropOutside, rollIn } from './bumper/edge.js';
import { countHits } from './bumper/hits.js';
import { LAYOUTS, layOut } from './bumper/layouts.js';
import {
  CAPACITY,
  CENTRE_X,
  CENTRE_Y,
  EVENT,
  FULL_RADIUS,
  KIND,
  PLAYER_RADIUS,
  SLOTS,
} from './bumper/terms.js';

const ROUNDS = 5;
const TARGET_SCORE = 20;
const KNOCK_OUT_POINTS = 2;
const SURVIVOR_POINTS = 3;
const CREDIT_TICKS = 180; // a fall this soon after a hit counts for the hitter
const START_RING = 0.66; // of the arena's radius
const MIN_PLAYERS = 4; // bots fill up to this number
const LOOSE_DRAG = 0.984; // factor on the speed of loose balls, each tick
const SUPPLY_TICKS = 70; // between loose balls that roll in

/** @typedef {import('../game/flow.js').Flow} Flow */

/** @param {Flow} flow */
const layoutOf = (flow) => LAYOUTS[(flow.round - 1) % LAYOUTS.length];

/** @param {Flow} flow */
function setUpRound(flow) {
  const { world, own, body, alive } = flow;
  world.clear();
  body.fill(NO_BODY);
  alive.fill(0);
  for (const words of Object.values(own)) words.fill(0);
  own.hitBy.fill(NO_OWNER);
  own.arena[0] = FULL_RADIUS;
  let seated = 0;
  for (let slot = 0; slot < SLOTS; slot++) if (flow.seated(slot)) seated++;
  const turn = world.randomInt(256);
  for (let slot = 0, place = 0; slot < SLOTS; slot++) {
    if (!flow.seated(slot)) continue;
    const angle = (turn + Math.floor((place++ * 256) / seated)) & 255;
    body[slot] = world.add({
      shape: SHAPE.circle,
      kind: KIND.player,
      owner: slot,
      x: CENTRE_X + cos256(angle) * FULL_RADIUS * START_RING,
      y: CENTRE_Y + sin256(angle) * FULL_RADIUS * START_RING,
      radius: PLAYER_RADIUS,
      mass: 1,
      angle: (angle + 128) & 255,
    });
    alive[slot] = 1;
    flow.gauge[slot] = 1;
  }
  layOut(world, layoutOf(flow));
}

/** @param {Flow} flow */
function steer(flow) {
  const { world, own, body } = flow;
  const { drag, push } = layoutOf(flow);
  for (let id = 0; id < world.high; id++) {
    const factor = world.kind[id] === KIND.player ? drag : LOOSE_DRAG;
    world.vx[id] *= factor;
    world.vy[id] *= factor;
  }
  for (let slot = 0; slot < SLOTS; slot++) {
    const id = body[slot];
    if (id === NO_BODY || own.fall[id] > 0) continue;
    if (flow.bot[slot] === 1) think(flow, slot);
    drive(flow, slot, id, push);
  }
  if (flow.playing && flow.phaseTicks % SUPPLY_TICKS === 0) rollIn(flow, layoutOf(flow));
}

/** @param {Flow} flow */
function settle(flow) {
  const { own } = flow;
  if (flow.playing) {
    own.arena[0] = arenaRadius(flow.phaseTicks);
    flow.ticksLeft = Math.max(0, ROUND_TICKS - flow.phaseTicks);
  }
  countHits(flow);
  dropOutside(flow, fallen);
  if (flow.playing) judge(flow);
}

/** @param {Flow} flow @param {number} slot @param {number} id */
function fallen(flow, slot, id) {
  if (!flow.playing) return;
  const { world, own } = flow;
  flow.alive[slot] = 0;
  flow.gauge[slot] = 0;
  const by = own.hitBy[slot];
  if (by !== NO_OWNER && flow.tick - own.hitTick[slot] <= CREDIT_TICKS) {
    flow.score[by] += KNOCK_OUT_POINTS;
  }
  flow.event(EVENT.knockOut, slot, world.x[id], world.y[id]);
}

/** @param {Flow} flow */
function judge(flow) {
  let standing = 0;
  let survivor = 0;
  for (let slot = 0; slot < SLOTS; slot++) {
    if (flow.alive[slot] === 0) continue;
    standing++;
    survivor = slot;
  }
  if (standing > 1) return;
  if (standing === 1) {
    flow.score[survivor] += SURVIVOR_POINTS;
    const id = flow.body[survivor];
    flow.event(EVENT.survivor, survivor, flow.world.x[id], flow.world.y[id]);
  }
  let best = 0;
  for (let slot = 0; slot < SLOTS; slot++) best = Math.max(best, flow.score[slot]);
  flow.endRound(best >= TARGET_SCORE || flow.round >= ROUNDS);
}

export default defineGame({
  id: 'bumper',
  title: 'Bumper',
  tagline: 'Push them off. Stay on.',
  rules: [
    'Push the others off the arena. It shrinks.',
    'Loose balls are ammunition: one you hit counts as yours.',
    `Knock-out ${KNOCK_OUT_POINTS} points, last one standing ${SURVIVOR_POINTS}.`,
    `First to ${TARGET_SCORE}, or the best after ${ROUNDS} rounds.`,
  ],
  players: { min: 2, max: SLOTS },
  controls: { stick: 'Roll', a: 'Dash', b: 'Brace: heavy for a moment' },
  view: {
    width: 1600,
    height: 900,
    background: '#0b1020',
    kinds: [
      { name: 'player', look: 'ball', color: 'owner', glow: true },
      { name: 'loose', look: 'ball', color: '#b8c1d9' },
      { name: 'boulder', look: 'ball', color: '#6d7690' },
      { name: 'post', look: 'orb', color: '#ff9f43', glow: true },
      { name: 'floor', look: 'disc', color: '#1d2744' },
      { name: 'rim', look: 'ring', color: '#5b7cff', glow: true },
    ],
    events: [
      { name: 'hit', effect: 'flash', sound: 'hit', rumbleMs: 40 },
      { name: 'knockOut', effect: 'burst', sound: 'boom', rumbleMs: 350 },
      { name: 'dash', effect: 'ring', sound: 'dash', rumbleMs: 0 },
      { name: 'brace', effect: 'ring', sound: 'thud', rumbleMs: 0 },
      { name: 'survivor', effect: 'burst', sound: 'fanfare', rumbleMs: 200 },
      { name: 'ping', effect: 'flash', sound: 'pop', rumbleMs: 0 },
    ],
    extra: ['arenaRadius'],
  },
  seconds: { ready: 3, roundOver: 4, matchOver: 8 },
  decor: 2,
  state: () => ({
    arena: 1,
    dashCool: SLOTS,
    brace: SLOTS,
    braceCool: SLOTS,
    hitBy: SLOTS,
    hitTick: SLOTS,
    botTicks: SLOTS,
    fall: CAPACITY,
    arriving: CAPACITY,
    flash: CAPACITY,
  }),
  world: () => ({ capacity: CAPACITY, maxContacts: 2048 }),
  bots: (humans) => Math.max(0, MIN_PLAYERS - humans),
  setUpRound,
  steer,
  settle,
  fillExtra(flow, extra) {
    extra[0] = Math.round(flow.own.arena[0]);
  },
  decorate(flow, writer, firstId) {
    const radius = flow.own.arena[0];
    writer.body(firstId, CENTRE_X, CENTRE_Y, radius, 0, KIND.floor, NO_OWNER, 0, 0);
    writer.body(firstId + 1, CENTRE_X, CENTRE_Y, radius, 0, KIND.rim, NO_OWNER, 0, 0);
  },
});
