/**
 * Collide: nobody plays. N bodies move and collide elastically in a bordered world, the load that
 * the measurements use.
 */
import { defineGame } from '../game/define.js';
import { BODY_STATE } from '../game/frame.js';
import { cos256, sin256 } from '../game/trig.js';
import { SHAPE } from '../game/world.js';

const SPEED = 140; // units a second, of all bodies at the start
const LARGEST_RADIUS = 40;
const FLASH_TICKS = 4;
const COLORS = 4;

/** @typedef {import('../game/flow.js').Flow} Flow */

/**
 * The radius at which N bodies thrown at random onto an area A have one overlapping pair a body:
 * each pair overlaps with probability pi (2r)^2 / A, there are N^2 / 2 of them.
 * @param {number} bodies @param {number} area
 */
export function radiusFor(bodies, area) {
  if (bodies === 0) return LARGEST_RADIUS;
  return Math.min(LARGEST_RADIUS, Math.sqrt(area / (2 * Math.PI * bodies)));
}

/** @param {Flow} flow */
function setUpRound(flow) {
  const { world } = flow;
  const { bodies } = flow.options;
  world.clear();
  const radius = radiusFor(bodies, world.width * world.height);
  const body = { shape: SHAPE.circle, kind: 0, x: 0.5, y: 0.5, vx: 0.5, vy: 0.5, radius }; // one for all: no garbage
  for (let i = 0; i < bodies; i++) {
    const angle = world.randomInt(256);
    const speed = SPEED * (0.5 + world.random());
    body.kind = i % COLORS;
    body.x = radius + world.random() * (world.width - 2 * radius);
    body.y = radius + world.random() * (world.height - 2 * radius);
    body.vx = cos256(angle) * speed;
    body.vy = sin256(angle) * speed;
    world.add(body);
  }
}

/** @param {Flow} flow */
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
  tagline: 'Nobody plays. Bodies collide.',
  rules: ['Watch, or measure: so many bodies collide sixty times a second.'],
  players: { min: 0, max: 0 },
  controls: { stick: '', a: '', b: '' },
  view: {
    width: 1600,
    height: 900,
    background: '#070b14',
    kinds: [
      { name: 'red', look: 'ball', color: '#e4526b' },
      { name: 'blue', look: 'ball', color: '#4d8bf0' },
      { name: 'yellow', look: 'ball', color: '#f2c14e' },
      { name: 'green', look: 'ball', color: '#4fbf8b' },
    ],
    events: [],
    extra: ['contacts', 'thousandContacts', 'dropped'],
  },
  options: {
    bodies: { default: 1000, min: 0, max: 20000 },
    ticks: { default: 0, min: 0, max: 0x7fffffff }, // 0: for ever
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
