/**
 * Swarm: all players together against waves of bodies that hunt them and bump into each other.
 * Each wave brings more; the team shares its spare ships.
 */
import { defineGame } from '../game/define.js';
import { NO_OWNER, TICK_HZ } from '../game/flow.js';
import { NO_BODY, PHASE } from '../game/frame.js';
import { SHAPE } from '../game/world.js';
import { think } from './swarm/bot.js';
import { EVENT, KIND, enter, isFoe, moveFoes, scatterDust, weightOf } from './swarm/foes.js';
import { HULL, fly, launch, retire, touch } from './swarm/ships.js';

const SLOTS = 8;
const BULLETS = 160; // room for bullets, ships and stars besides the swarm
const WAVES = 10;
/** Part of the option `bodies` that each wave brings. */
const WAVE_SHARE = [0.07, 0.1, 0.14, 0.19, 0.26, 0.35, 0.48, 0.66, 0.9, 1.2];
/** ... for a crew of none, and for each of the crew. */
const ALONE = 0.2;
const A_HEAD = 0.33;
const WARM_UP = 0.67; // times (wave + 2): no more heads than these count, so a big crew warms up first
/** Speed that motes reach: in the first wave, more each wave, and more each second a wave lasts. */
const SPEED = 110;
const SPEED_A_WAVE = 14;
const SPEED_A_SECOND = 1.5;
const SPEED_A_HEAD = 5; // more for each of the crew
const ENTRY_SECONDS = 20; // over which a wave comes in
const ENTER_A_TICK = 4; // at most: more would lie on top of each other
const WAVE_SECONDS = 60; // then what is left of it meets the next one
const FEW = 0.06; // part of a wave that, once all are in, stops dodging and comes straight on
const FRENZY = 1.5; // times the speed
const FIRST_SHARE = 0.25; // of it that comes at once
const DUST_SHARE = 0.4; // of the bodies
const DEMO_BOTS = 3;
const DEMO_AHEAD = 5; // waves: the demo starts with a later, fuller wave
const SPARE_SHIPS = 2; // and one more for each player
const MAX_SPARE = 12;

/** @typedef {import('../game/flow.js').Flow} Flow */

/** @param {Flow} flow */
function crew(flow) {
  let count = 0;
  for (let slot = 0; slot < SLOTS; slot++) if (flow.seated(slot)) count++;
  return count;
}

/** @param {Flow} flow */
function setUpRound(flow) {
  const { own } = flow;
  if (flow.round === 1) {
    flow.world.clear();
    flow.body.fill(NO_BODY);
    own.lives[0] = SPARE_SHIPS;
    scatterDust(flow, Math.floor(flow.options.bodies * DUST_SHARE));
  }
  own.toCome[0] = 0;
  own.side[0] = flow.world.randomInt(256);
}

/** The wave is as big as the crew that meets it. @param {Flow} flow */
function beginPlay(flow) {
  const { own } = flow;
  const heads = Math.min(crew(flow), (flow.round + 2) * WARM_UP);
  const wave = flow.humans === 0 ? Math.min(WAVES, flow.round + DEMO_AHEAD) : flow.round;
  const share = WAVE_SHARE[wave - 1] * (ALONE + A_HEAD * heads);
  own.wave[0] = Math.max(12, Math.round(flow.options.bodies * share));
  own.toCome[0] = own.wave[0];
  own.hulks[0] = flow.round >= 3 ? Math.ceil(((flow.round - 2) * (2 + crew(flow))) / 8) : 0;
  if (flow.round === 1) own.lives[0] += crew(flow);
  flow.event(EVENT.wave, NO_OWNER, flow.world.width / 2, flow.world.height / 2);
}

/** @param {Flow} flow */
function steer(flow) {
  const { own, body } = flow;
  own.pops[0] = 0;
  own.crew[0] = crew(flow);
  age(flow);
  for (let slot = 0; slot < SLOTS; slot++) {
    crewShip(flow, slot);
    if (body[slot] === NO_BODY) continue;
    if (flow.bot[slot] === 1) think(flow, slot);
    fly(flow, slot);
  }
  if (flow.playing) letIn(flow);
  const seconds = flow.playing ? flow.phaseTicks / TICK_HZ : 0;
  const frenzy = own.toCome[0] <= 0 && own.left[0] <= Math.max(8, own.wave[0] * FEW);
  const speed =
    SPEED + SPEED_A_WAVE * flow.round + SPEED_A_SECOND * seconds + SPEED_A_HEAD * own.crew[0];
  moveFoes(flow, frenzy ? speed * FRENZY : speed, frenzy);
}

/** Gives a ship to who should have one, and takes it from who left. @param {Flow} flow @param {number} slot */
function crewShip(flow, slot) {
  const { own, body } = flow;
  if (!flow.seated(slot)) {
    if (body[slot] !== NO_BODY) retire(flow, slot);
    own.back[slot] = 0;
    return;
  }
  if (body[slot] !== NO_BODY || flow.phase === PHASE.matchOver) return;
  if (own.back[slot] > 0) own.back[slot]--;
  if (own.back[slot] > 0 || (own.out[slot] === 1 && flow.phase !== PHASE.ready)) return;
  own.out[slot] = 0;
  launch(flow, slot);
}

/** Bullets and stars last for a while. @param {Flow} flow */
function age(flow) {
  const { world, own } = flow;
  for (let id = 0; id < world.high; id++) {
    const kind = world.kind[id];
    if (world.shape[id] === SHAPE.none || (kind !== KIND.bullet && kind !== KIND.star)) continue;
    if (--own.timer[id] <= 0) world.remove(id);
  }
}

/** Lets in what the wave still holds, in packs from one side after the other. @param {Flow} flow */
function letIn(flow) {
  const { world, own } = flow;
  const part = Math.min(1, FIRST_SHARE + flow.phaseTicks / (ENTRY_SECONDS * TICK_HZ));
  const due = own.wave[0] * part;
  for (let n = 0; n < ENTER_A_TICK; n++) {
    if (own.toCome[0] <= 0 || own.wave[0] - own.toCome[0] >= due) return;
    if (world.count >= flow.options.bodies) return;
    const dice = world.random();
    let kind = KIND.mote;
    if (own.hulks[0] > 0 && flow.phaseTicks > 60) {
      kind = KIND.hulk;
      own.hulks[0]--;
    } else if (dice < 0.05) kind = KIND.ember;
    else if (dice < 0.08 + 0.008 * flow.round) kind = KIND.chunk;
    if (world.randomInt(24) === 0) own.side[0] = world.randomInt(256);
    enter(flow, kind, own.side[0]);
    own.toCome[0] -= weightOf(kind);
  }
}

/** @param {Flow} flow */
function settle(flow) {
  const { world, own } = flow;
  touch(flow);
  let left = 0;
  for (let id = 0; id < world.high; id++) {
    if (world.shape[id] !== SHAPE.none && isFoe(world.kind[id])) left++;
  }
  own.left[0] = left + Math.max(0, own.toCome[0]);
  if (!flow.playing) return;
  flow.ticksLeft = WAVE_SECONDS * TICK_HZ - flow.phaseTicks;
  if (lost(flow)) flow.endRound(true);
  else if (own.left[0] === 0 || flow.ticksLeft <= 0) survived(flow);
}

/** The wave is beaten, or it lasted too long. @param {Flow} flow */
function survived(flow) {
  const { own } = flow;
  if (own.left[0] === 0) own.lives[0] = Math.min(MAX_SPARE, own.lives[0] + 1);
  own.hull.fill(HULL);
  if (flow.round === WAVES) own.beaten[0] = 1;
  flow.event(EVENT.won, NO_OWNER, flow.world.width / 2, flow.world.height / 2);
  flow.endRound(flow.round === WAVES);
}

/** @param {Flow} flow @returns {boolean} no ship flies, none will come */
function lost(flow) {
  for (let slot = 0; slot < SLOTS; slot++) {
    if (flow.body[slot] !== NO_BODY) return false;
    if (flow.seated(slot) && flow.own.out[slot] === 0) return false;
  }
  return true;
}

export default defineGame({
  id: 'swarm',
  title: 'Swarm',
  tagline: 'All of you against all of them.',
  rules: [
    'Hold A to fire: the gun aims at what is near and ahead.',
    'Embers blow up and set each other off. Aim for them.',
    'B is a pulse that clears the space around you.',
    `Spare ships are shared. Survive ${WAVES} waves.`,
  ],
  players: { min: 1, max: SLOTS },
  controls: { stick: 'Fly', a: 'Fire (hold)', b: 'Pulse' },
  view: {
    width: 1600,
    height: 900,
    background: '#05070f',
    kinds: [
      { name: 'ship', look: 'ship', color: 'owner', glow: true },
      { name: 'bullet', look: 'bullet', color: 'owner', glow: true },
      { name: 'mote', look: 'shard', color: '#a9bdf0' },
      { name: 'chunk', look: 'shard', color: '#c9885b' },
      { name: 'ember', look: 'orb', color: '#ff5a36', glow: true },
      { name: 'hulk', look: 'shard', color: '#9b5de5', glow: true },
      { name: 'star', look: 'orb', color: '#ffe66d', glow: true },
      { name: 'dust', look: 'shard', color: '#2c3854' },
      { name: 'hull3', look: 'ring', color: '#5fe07a' },
      { name: 'hull2', look: 'ring', color: '#ffd24d' },
      { name: 'hull1', look: 'ring', color: '#ff4d4d' },
    ],
    events: [
      { name: 'pop', effect: 'flash', sound: 'pop', rumbleMs: 0 },
      { name: 'boom', effect: 'burst', sound: 'boom', rumbleMs: 0 },
      { name: 'hurt', effect: 'ring', sound: 'hit', rumbleMs: 120 },
      { name: 'lost', effect: 'burst', sound: 'boom', rumbleMs: 400 },
      { name: 'pulse', effect: 'ring', sound: 'dash', rumbleMs: 60 },
      { name: 'wave', effect: 'ring', sound: 'fanfare', rumbleMs: 0 },
      { name: 'star', effect: 'burst', sound: 'pop', rumbleMs: 60 },
      { name: 'won', effect: 'ring', sound: 'fanfare', rumbleMs: 0 },
    ],
    extra: ['spareShips', 'left', 'teamScore'],
    round: 'Wave',
  },
  options: { bodies: { default: 2000, min: 100, max: 8000 } },
  seconds: { ready: 2, roundOver: 3, matchOver: 8 },
  castAlways: true,
  border: 'bounce',
  decor: SLOTS,
  state: ({ bodies }) => ({
    lives: 1,
    wave: 1,
    toCome: 1,
    hulks: 1,
    side: 1,
    left: 1,
    team: 1,
    beaten: 1,
    pops: 1,
    crew: 1,
    hull: SLOTS,
    safe: SLOTS,
    star: SLOTS,
    gun: SLOTS,
    cool: SLOTS,
    back: SLOTS,
    out: SLOTS,
    botTicks: SLOTS,
    hp: bodies + BULLETS,
    timer: bodies + BULLETS,
    aim: bodies + BULLETS,
  }),
  world: ({ bodies }) => ({
    capacity: bodies + BULLETS,
    maxContacts: Math.min(65536, 6 * (bodies + BULLETS)),
  }),
  bots: (humans) => (humans === 0 ? DEMO_BOTS : 0),
  setUpRound,
  beginPlay,
  steer,
  settle,
  wins: (flow, slot) => flow.own.beaten[0] === 1 && flow.seated(slot),
  fillExtra(flow, extra) {
    extra[0] = flow.own.lives[0];
    extra[1] = flow.own.left[0];
    extra[2] = Math.min(0xffff, flow.own.team[0]);
  },
  decorate(flow, writer, firstId) {
    for (let slot = 0; slot < SLOTS; slot++) {
      const id = flow.body[slot];
      if (id === NO_BODY) continue;
      const kind = KIND.hull3 + (HULL - flow.own.hull[slot]);
      const { x, y, a } = flow.world;
      writer.body(firstId + slot, x[id], y[id], a[id] + 7, 0, kind, NO_OWNER, 0, 0);
    }
  },
});
