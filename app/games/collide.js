/**
 * Collide: a game without players. N bodies move and collide elastically in a world with a border. The
 * benchmarks use it as their load. Colours, sizes and speeds are the constants below; the rules are
 * setUpRound() and settle().
 */
import { BODY_STATE, SHAPE, cos256, defineGame, sin256 } from '../game/index.js';

const BACKGROUND = '#070b14';
/** Body i has kind i modulo the number of kinds. */
const KINDS = [
  { name: 'red', look: 'ball', color: '#e4526b' },
  { name: 'blue', look: 'ball', color: '#4d8bf0' },
  { name: 'yellow', look: 'ball', color: '#f2c14e' },
  { name: 'green', look: 'ball', color: '#4fbf8b' },
];
const WIDTH = 1600; // world units
const HEIGHT = 900;
const MAX_RADIUS = 40; // world units
const MEAN_SPEED = 140; // world units per second, at the start
const FLASH_TICKS = 4; // after a contact

/** @typedef {import('../game/index.js').Flow} Flow */

/**
 * Computes the radius at which N bodies placed at random on an area A have one overlapping pair per
 * body. A pair overlaps with probability pi (2r)^2 / A, and there are N^2 / 2 pairs.
 * @param {number} bodies @param {number} area
 */
function radiusFor(bodies, area) {
  if (bodies === 0) return MAX_RADIUS;
  return Math.min(MAX_RADIUS, Math.sqrt(area / (2 * Math.PI * bodies)));
}

/** Places the bodies. @param {Flow} flow */
function setUpRound(flow) {
  const { world } = flow;
  const { bodies } = flow.options;
  world.clear();
  const radius = radiusFor(bodies, world.width * world.height);
  const body = { shape: SHAPE.circle, kind: 0, x: 0.5, y: 0.5, vx: 0.5, vy: 0.5, radius }; // reused: no garbage
  for (let i = 0; i < bodies; i++) {
    const angle = world.randomInt(256);
    const speed = MEAN_SPEED * (0.5 + world.random());
    body.kind = i % KINDS.length;
    body.x = radius + world.random() * (world.width - 2 * radius);
    body.y = radius + world.random() * (world.height - 2 * radius);
    body.vx = cos256(angle) * speed;
    body.vy = sin256(angle) * speed;
    world.add(body);
  }
}

/** Counts the contacts of a step, and lights up the bodies that touched. @param {Flow} flow */
function settle(flow) {
  const { world, own } = flow;
  const { flash } = own;
  own.contacts[0] += world.contactCount;
  own.dropped[0] += world.contactsDropped;
  for (let i = 0; i < world.contactCount; i++) {
    flash[world.contactA[i]] = FLASH_TICKS;
    flash[world.contactB[i]] = FLASH_TICKS;
  }
  for (let id = 0; id < world.high; id++) {
    if (flash[id] > 0) flash[id]--;
    world.state[id] = flash[id] > 0 ? BODY_STATE.hit : 0;
  }
  const { ticks } = flow.options;
  if (ticks > 0) flow.ticksLeft = Math.max(0, ticks - flow.phaseTicks);
  if (ticks > 0 && flow.phaseTicks >= ticks) flow.endRound(true);
}

export default defineGame({
  id: 'collide',
  title: 'Collide',
  tagline: 'No players. Bodies collide.',
  rules: ['Watch the bodies collide, sixty steps a second.'],
  players: { min: 0, max: 0 },
  controls: { stick: '', a: '', b: '' },
  translations: {
    ko: {
      title: '충돌',
      tagline: '플레이어 없이 물체들이 부딪쳐요.',
      rules: ['물체들이 1초에 60번씩 움직이며 부딪치는 모습을 보세요.'],
      controls: { stick: '', a: '', b: '' },
    },
  },
  view: {
    width: WIDTH,
    height: HEIGHT,
    background: BACKGROUND,
    kinds: KINDS,
    events: [],
    extra: ['contacts', 'thousandContacts', 'dropped'],
  },
  options: {
    bodies: { default: 1000, min: 0, max: 20000 },
    ticks: { default: 0, min: 0, max: 0x7fffffff }, // 0: no limit
  },
  seconds: { ready: 0, roundOver: 0, matchOver: 0 },
  castAlways: true,
  border: 'bounce',
  state: ({ bodies }) => ({ contacts: 1, dropped: 1, flash: Math.max(1, bodies) }),
  world: ({ bodies }) => ({
    capacity: Math.max(1, bodies),
    maxContacts: Math.max(64, 4 * bodies),
  }),
  setUpRound,
  steer() {},
  settle,
  fillExtra(flow, extra) {
    extra[0] = Math.min(0xffff, flow.world.contactCount);
    extra[1] = Math.floor(flow.own.contacts[0] / 1000) & 0xffff;
    extra[2] = Math.min(0xffff, flow.own.dropped[0]);
  },
});
