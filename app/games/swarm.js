/**
 * Swarm: all players defend themselves together against waves of foes, which hunt them and bump into
 * each other. Each wave is larger than the last. The team shares its spare ships.
 */
import { NO_BODY, NO_OWNER, PHASE, SHAPE, TICK_HZ, defineGame } from '../game/index.js';
import { steerBot } from './swarm/bot.js';
import {
  EVENT,
  EVENTS,
  KIND,
  KINDS,
  isFoe,
  moveFoes,
  scatterDust,
  spawnFoe,
  weightOf,
} from './swarm/foes.js';
import { HULL, addShip, flyShip, removeShip, resolveTouches } from './swarm/ships.js';

const SLOTS = 8;
const EXTRA_BODIES = 160; // capacity for bullets, ships and stars, in addition to the option `bodies`
const WAVES = 10;
/** Size of each wave, part of the option `bodies`; scaled by BASE_SHARE + SHARE_PER_PLAYER x players. */
const WAVE_SHARE = [0.07, 0.1, 0.14, 0.19, 0.26, 0.35, 0.48, 0.66, 0.9, 1.2];
const BASE_SHARE = 0.2;
const SHARE_PER_PLAYER = 0.33;
const PLAYERS_PER_WAVE = 0.67; // times (wave + 2): maximum number of players that count, so that big teams start easy
/** Top speed of motes, and what is added for each wave, second of the wave, and player. */
const SPEED = 110;
const SPEED_PER_WAVE = 14;
const SPEED_PER_SECOND = 1.5;
const SPEED_PER_PLAYER = 5; // world units per second, as the others
const ENTRY_SECONDS = 20; // time over which a wave comes in
const MAX_SPAWNS_PER_TICK = 4; // more would lie on top of each other
const WAVE_SECONDS = 60; // then the next wave starts, and the remaining foes join it
const FRENZY_SHARE = 0.06; // the last foes of a wave, part of its size, attack directly
const FRENZY_FACTOR = 1.5; // factor on their speed
const FIRST_SHARE = 0.25; // part of a wave that comes in at once
const DUST_SHARE = 0.4; // part of the option `bodies`
const DEMO_BOTS = 3;
const DEMO_WAVES_AHEAD = 5; // the demo skips the first, small waves
const SPARE_SHIPS = 2; // at the start, plus one for each player
const MAX_SPARE_SHIPS = 12;

/** @typedef {import('../game/index.js').Flow} Flow */

/** Returns the number of players, bots included. @param {Flow} flow */
function countCrew(flow) {
  let count = 0;
  for (let slot = 0; slot < SLOTS; slot++) if (flow.seated(slot)) count++;
  return count;
}

/** Prepares a wave; before the first one also the world. @param {Flow} flow */
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

/** Sets the size of the wave, which depends on the number of players. @param {Flow} flow */
function beginPlay(flow) {
  const { own } = flow;
  const players = Math.min(countCrew(flow), (flow.round + 2) * PLAYERS_PER_WAVE);
  if (flow.humans > 0) own.played[0] = 1;
  const wave = own.played[0] === 1 ? flow.round : Math.min(WAVES, flow.round + DEMO_WAVES_AHEAD);
  const share = WAVE_SHARE[wave - 1] * (BASE_SHARE + SHARE_PER_PLAYER * players);
  own.wave[0] = Math.max(12, Math.round(flow.options.bodies * share));
  own.toCome[0] = own.wave[0];
  own.hulks[0] = flow.round >= 3 ? Math.ceil(((flow.round - 2) * (2 + countCrew(flow))) / 8) : 0;
  if (flow.round === 1) own.lives[0] += countCrew(flow);
  flow.event(EVENT.wave, NO_OWNER, flow.world.width / 2, flow.world.height / 2);
}

/** Moves ships and foes, and lets new foes in. @param {Flow} flow */
function steer(flow) {
  const { own, body } = flow;
  own.pops[0] = 0;
  own.crew[0] = countCrew(flow);
  expireBodies(flow);
  for (let slot = 0; slot < SLOTS; slot++) {
    updateShip(flow, slot);
    if (body[slot] === NO_BODY) continue;
    if (flow.bot[slot] === 1) steerBot(flow, slot);
    flyShip(flow, slot);
  }
  if (flow.playing) spawnFoes(flow);
  const seconds = flow.playing ? flow.phaseTicks / TICK_HZ : 0;
  const frenzy = own.toCome[0] <= 0 && own.left[0] <= Math.max(8, own.wave[0] * FRENZY_SHARE);
  const speed =
    SPEED +
    SPEED_PER_WAVE * flow.round +
    SPEED_PER_SECOND * seconds +
    SPEED_PER_PLAYER * own.crew[0];
  moveFoes(flow, frenzy ? speed * FRENZY_FACTOR : speed, frenzy);
}

/** Adds a player's ship when it is due, removes it when the player has left. @param {Flow} flow @param {number} slot */
function updateShip(flow, slot) {
  const { own, body } = flow;
  if (!flow.seated(slot)) {
    if (body[slot] !== NO_BODY) removeShip(flow, slot);
    own.back[slot] = 0;
    return;
  }
  if (body[slot] !== NO_BODY || flow.phase === PHASE.matchOver) return;
  if (own.back[slot] > 0) own.back[slot]--;
  if (own.back[slot] > 0 || (own.out[slot] === 1 && flow.phase !== PHASE.ready)) return;
  own.out[slot] = 0;
  addShip(flow, slot);
}

/** Removes bullets and stars whose time is over. @param {Flow} flow */
function expireBodies(flow) {
  const { world, own } = flow;
  for (let id = 0; id < world.high; id++) {
    const kind = world.kind[id];
    if (world.shape[id] === SHAPE.none || (kind !== KIND.bullet && kind !== KIND.star)) continue;
    if (--own.timer[id] <= 0) world.remove(id);
  }
}

/** Lets in foes of the wave, in packs from changing sides. @param {Flow} flow */
function spawnFoes(flow) {
  const { world, own } = flow;
  const part = Math.min(1, FIRST_SHARE + flow.phaseTicks / (ENTRY_SECONDS * TICK_HZ));
  const due = own.wave[0] * part;
  for (let n = 0; n < MAX_SPAWNS_PER_TICK; n++) {
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
    spawnFoe(flow, kind, own.side[0]);
    own.toCome[0] -= weightOf(kind);
  }
}

/** Resolves contacts, counts the foes and ends the wave. @param {Flow} flow */
function settle(flow) {
  const { world, own } = flow;
  resolveTouches(flow);
  let left = 0;
  for (let id = 0; id < world.high; id++) {
    if (world.shape[id] !== SHAPE.none && isFoe(world.kind[id])) left++;
  }
  own.left[0] = left + Math.max(0, own.toCome[0]);
  if (!flow.playing) return;
  flow.ticksLeft = WAVE_SECONDS * TICK_HZ - flow.phaseTicks;
  if (isLost(flow)) flow.endRound(true);
  else if (own.left[0] === 0 || flow.ticksLeft <= 0) completeWave(flow);
}

/** Ends a wave that is beaten or whose time is over. @param {Flow} flow */
function completeWave(flow) {
  const { own } = flow;
  if (own.left[0] === 0) own.lives[0] = Math.min(MAX_SPARE_SHIPS, own.lives[0] + 1);
  own.hull.fill(HULL);
  if (flow.round === WAVES) own.beaten[0] = 1;
  flow.event(EVENT.won, NO_OWNER, flow.world.width / 2, flow.world.height / 2);
  flow.endRound(flow.round === WAVES);
}

/** Returns whether the team has lost: no ship is left and none will be added. @param {Flow} flow */
function isLost(flow) {
  for (let slot = 0; slot < SLOTS; slot++) {
    if (flow.body[slot] !== NO_BODY) return false;
    if (flow.seated(slot) && flow.own.out[slot] === 0) return false;
  }
  return true;
}

export default defineGame({
  id: 'swarm',
  title: 'Swarm',
  tagline: 'Together against the swarm.',
  rules: [
    'Hold A to fire. The gun aims at foes near and ahead of you.',
    'Embers explode and set each other off. Aim for them.',
    'B: a pulse clears space around you.',
    `Spare ships are shared. Survive ${WAVES} waves.`,
  ],
  players: { min: 1, max: SLOTS },
  records: [
    { name: 'Best wave', of: 'round' },
    { name: 'Points of a team', of: 'extra', from: 'teamScore' },
  ],
  controls: { stick: 'Fly', a: 'Fire (hold)', b: 'Pulse' },
  translations: {
    ko: {
      title: '스웜',
      tagline: '모두 함께 적의 무리에 맞서세요.',
      rules: [
        'A를 누르고 있으면 발사해요. 가까운 앞쪽 적을 자동으로 겨눠요.',
        '불덩이를 노리세요. 잇달아 폭발해요.',
        'B: 파동으로 주변의 적을 밀어내요.',
        `예비 우주선은 공용. 웨이브 ${WAVES}번을 버티세요.`,
      ],
      controls: { stick: '비행', a: '발사 (길게)', b: '파동' },
      round: '웨이브',
      records: ['최고 웨이브', '팀 점수'],
    },
  },
  view: {
    width: 1600,
    height: 900,
    background: '#05070f',
    kinds: KINDS,
    events: EVENTS,
    extra: ['spareShips', 'left', 'teamScore'],
    rounds: WAVES,
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
    played: 1, // 1: it is no demo
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
    hp: bodies + EXTRA_BODIES,
    timer: bodies + EXTRA_BODIES,
    aim: bodies + EXTRA_BODIES,
  }),
  world: ({ bodies }) => ({
    capacity: bodies + EXTRA_BODIES,
    maxContacts: Math.min(65536, 6 * (bodies + EXTRA_BODIES)),
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
  decorate(flow, writer) {
    for (let slot = 0; slot < SLOTS; slot++) {
      const id = flow.body[slot];
      if (id === NO_BODY) continue;
      const { x, y, a } = flow.world;
      writer.kind = KIND.hull3 + (HULL - flow.own.hull[slot]);
      writer.circle(slot, x[id], y[id], a[id] + 7);
    }
  },
});
