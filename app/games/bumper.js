/**
 * Bumper: balls on a round arena that shrinks. Push the others off, with yourself or with the loose
 * balls that lie about; the last one on it wins the round.
 */
import { defineGame } from '../game/define.js';
import { NO_BODY, NO_OWNER } from '../game/flow.js';
import { BODY_STATE } from '../game/frame.js';
import { atan256, cos256, sin256 } from '../game/trig.js';
import { SHAPE } from '../game/world.js';
import { think } from './bumper/bot.js';
import { LAYOUTS, PLAYER_RADIUS, layOut } from './bumper/layouts.js';

const SLOTS = 8;
const CAPACITY = 128;
const CENTRE_X = 800;
const CENTRE_Y = 450;
const FULL_RADIUS = 430;

// Speeds are in units a second, as the world's are; a tick is 1/60 s.
const DASH_SPEED = 430;
const DASH_COOL_TICKS = 90;
const BRACE_TICKS = 45;
const BRACE_COOL_TICKS = 120;
const BRACE_MASS = 5;
const BRACE_DRAG = 0.9;
const POST_KICK = 260;
const HARD_HIT = 220; // approach speed from which a hit is heard and seen
const CREDIT_TICKS = 180; // a fall this soon after a hit is the hitter's
const FALL_TICKS = 30;
const FLASH_TICKS = 6;

// The arena: full at first, then ever smaller, so that a round can't last.
const HOLD_TICKS = 5 * 60;
const SQUEEZE_TICKS = 30 * 60; // here it is SMALL_RADIUS
const ROUND_TICKS = 42 * 60; // and here it is gone
const SMALL_RADIUS = 130;
const SUPPLY_TICKS = 100; // between loose balls that roll in

const ROUNDS = 5;
const TARGET_SCORE = 20;
const KNOCK_OUT_POINTS = 2;
const SURVIVOR_POINTS = 3;

const KIND = { player: 0, loose: 1, boulder: 2, post: 3, floor: 4, rim: 5 };
const EVENT = { hit: 0, knockOut: 1, dash: 2, brace: 3, survivor: 4, ping: 5 };

/** @typedef {import('../game/flow.js').Flow} Flow */

/** @param {number} ticks of play @returns {number} radius of the arena then */
function arenaRadius(ticks) {
  if (ticks <= HOLD_TICKS) return FULL_RADIUS;
  if (ticks <= SQUEEZE_TICKS) {
    const part = (ticks - HOLD_TICKS) / (SQUEEZE_TICKS - HOLD_TICKS);
    return FULL_RADIUS + (SMALL_RADIUS - FULL_RADIUS) * part;
  }
  const part = (ticks - SQUEEZE_TICKS) / (ROUND_TICKS - SQUEEZE_TICKS);
  return part < 1 ? SMALL_RADIUS * (1 - part) : 0;
}

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
      x: CENTRE_X + cos256(angle) * FULL_RADIUS * 0.66,
      y: CENTRE_Y + sin256(angle) * FULL_RADIUS * 0.66,
      radius: PLAYER_RADIUS,
      mass: 1,
      angle: (angle + 128) & 255,
    });
    alive[slot] = 1;
    flow.gauge[slot] = 1;
  }
  layOut(world, layoutOf(flow), KIND, CENTRE_X, CENTRE_Y, FULL_RADIUS);
}

/** @param {Flow} flow */
function steer(flow) {
  const { world, own, body } = flow;
  const { drag, push } = layoutOf(flow);
  for (let id = 0; id < world.high; id++) {
    world.vx[id] *= drag;
    world.vy[id] *= drag;
  }
  for (let slot = 0; slot < SLOTS; slot++) {
    const id = body[slot];
    if (id === NO_BODY || own.fall[id] > 0) continue;
    if (flow.bot[slot] === 1) think(flow, slot, CENTRE_X, CENTRE_Y);
    drive(flow, slot, id, push);
  }
  if (flow.playing && flow.phaseTicks % SUPPLY_TICKS === 0) rollIn(flow);
}

/**
 * @param {Flow} flow @param {number} slot @param {number} id
 * @param {number} push speed that a full stick adds each tick
 */
function drive(flow, slot, id, push) {
  const { world, own } = flow;
  const x = flow.stickX[slot];
  const y = flow.stickY[slot];
  if (x !== 0 || y !== 0) world.angle[id] = atan256(y, x);
  if (own.dashCool[slot] > 0) own.dashCool[slot]--;
  if (own.braceCool[slot] > 0) own.braceCool[slot]--;
  if (flow.tapsA[slot] > 0 && own.dashCool[slot] === 0) {
    const angle = world.angle[id];
    world.vx[id] += cos256(angle) * DASH_SPEED;
    world.vy[id] += sin256(angle) * DASH_SPEED;
    own.dashCool[slot] = DASH_COOL_TICKS;
    own.brace[slot] = 0;
    flow.event(EVENT.dash, slot, world.x[id], world.y[id]);
  }
  if (flow.tapsB[slot] > 0 && own.braceCool[slot] === 0) {
    own.brace[slot] = BRACE_TICKS;
    own.braceCool[slot] = BRACE_COOL_TICKS;
    flow.event(EVENT.brace, slot, world.x[id], world.y[id]);
  }
  const braced = own.brace[slot] > 0;
  if (braced) {
    own.brace[slot]--;
    world.vx[id] *= BRACE_DRAG;
    world.vy[id] *= BRACE_DRAG;
  }
  world.invMass[id] = braced ? 1 / BRACE_MASS : 1;
  world.vx[id] += x * push;
  world.vy[id] += y * push;
  const dashing = own.dashCool[slot] > DASH_COOL_TICKS - 20;
  world.state[id] = (braced ? BODY_STATE.shield : 0) | (dashing ? BODY_STATE.boost : 0);
  flow.gauge[slot] = 1 - own.dashCool[slot] / DASH_COOL_TICKS;
}

/** A loose ball rolls in from outside, not solid until it is on the arena. @param {Flow} flow */
function rollIn(flow) {
  const { world, own } = flow;
  const layout = layoutOf(flow);
  let loose = 0;
  for (let id = 0; id < world.high; id++) {
    if (world.shape[id] !== SHAPE.none && world.kind[id] === KIND.loose) loose++;
  }
  const radius = own.arena[0];
  if (loose >= layout.loose || radius < SMALL_RADIUS) return;
  const from = world.randomInt(256);
  const heading = from + 128 + world.randomInt(41) - 20;
  const size = layout.smallest + world.random() * (layout.largest - layout.smallest);
  const id = world.add({
    shape: SHAPE.circle,
    kind: KIND.loose,
    x: CENTRE_X + cos256(from) * (radius + 160),
    y: CENTRE_Y + sin256(from) * (radius + 160),
    vx: cos256(heading & 255) * 560,
    vy: sin256(heading & 255) * 560,
    radius: size,
    mass: (size * size) / (PLAYER_RADIUS * PLAYER_RADIUS),
    sensor: true,
    state: BODY_STATE.ghost,
  });
  own.arriving[id] = 1;
}

/** @param {Flow} flow */
function settle(flow) {
  const { own } = flow;
  if (flow.playing) {
    own.arena[0] = arenaRadius(flow.phaseTicks);
    flow.ticksLeft = Math.max(0, ROUND_TICKS - flow.phaseTicks);
  }
  countHits(flow);
  dropOutside(flow);
  if (flow.playing) judge(flow);
}

/** Remembers who hit whom; a loose ball that was hit takes the hitter's colour. @param {Flow} flow */
function countHits(flow) {
  const { world, own } = flow;
  for (let i = 0; i < world.contactCount; i++) {
    const p = world.contactA[i];
    const q = world.contactB[i];
    if (((world.flags[p] | world.flags[q]) & world.FLAG.sensor) !== 0) continue;
    const speed = world.contactSpeed[i];
    hit(flow, p, q, speed);
    hit(flow, q, p, speed);
    if (speed < HARD_HIT) continue;
    own.flash[p] = FLASH_TICKS;
    own.flash[q] = FLASH_TICKS;
    const pPlays = world.kind[p] === KIND.player;
    if (!pPlays && world.kind[q] !== KIND.player) continue;
    const victim = pPlays && own.hitBy[world.owner[p]] !== NO_OWNER ? p : pPlays ? p : q;
    const x = (world.x[p] + world.x[q]) / 2;
    flow.event(EVENT.hit, world.owner[victim], x, (world.y[p] + world.y[q]) / 2);
  }
}

/**
 * @param {Flow} flow
 * @param {number} id body that is hit @param {number} by body that hits @param {number} speed
 */
function hit(flow, id, by, speed) {
  const { world, own } = flow;
  const kind = world.kind[id];
  if (world.kind[by] === KIND.post && kind !== KIND.post) {
    const dx = world.x[id] - world.x[by];
    const dy = world.y[id] - world.y[by];
    const length = Math.sqrt(dx * dx + dy * dy) || 1;
    world.vx[id] += (dx / length) * POST_KICK * world.invMass[id];
    world.vy[id] += (dy / length) * POST_KICK * world.invMass[id];
    flow.event(EVENT.ping, NO_OWNER, world.x[by], world.y[by]);
    return;
  }
  const hitter = world.owner[by];
  if (hitter === NO_OWNER || speed < 40) return;
  if (kind === KIND.player) {
    const slot = world.owner[id];
    if (slot === hitter) return;
    own.hitBy[slot] = hitter;
    own.hitTick[slot] = flow.tick;
  } else if (world.kind[by] === KIND.player) {
    world.owner[id] = hitter;
  }
}

/** Whatever is over the edge falls: it shrinks for a moment, then it is gone. @param {Flow} flow */
function dropOutside(flow) {
  const { world, own } = flow;
  const radius = own.arena[0];
  for (let id = 0; id < world.high; id++) {
    if (world.shape[id] === SHAPE.none) continue;
    if (own.flash[id] > 0 && --own.flash[id] > 0) world.state[id] |= BODY_STATE.hit;
    else world.state[id] &= ~BODY_STATE.hit;
    if (own.fall[id] > 0) {
      world.a[id] *= 0.93;
      if (--own.fall[id] === 0) remove(flow, id);
      continue;
    }
    const dx = world.x[id] - CENTRE_X;
    const dy = world.y[id] - CENTRE_Y;
    const distance = Math.sqrt(dx * dx + dy * dy);
    if (own.arriving[id] === 1) {
      if (distance > radius - world.a[id]) {
        if (distance > radius + 400) remove(flow, id);
        continue;
      }
      own.arriving[id] = 0;
      world.flags[id] &= ~world.FLAG.sensor;
      world.state[id] &= ~BODY_STATE.ghost;
    }
    if (distance <= radius + world.a[id] * 0.4) continue;
    own.fall[id] = FALL_TICKS;
    world.flags[id] |= world.FLAG.sensor;
    world.state[id] = BODY_STATE.falling;
    if (world.kind[id] === KIND.player) fallen(flow, world.owner[id], id);
  }
}

/** @param {Flow} flow @param {number} id */
function remove(flow, id) {
  const { world, own } = flow;
  if (world.kind[id] === KIND.player) flow.body[world.owner[id]] = NO_BODY;
  own.arriving[id] = 0;
  own.fall[id] = 0;
  own.flash[id] = 0;
  world.remove(id);
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
  bots: (humans) => Math.max(0, 4 - humans),
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
