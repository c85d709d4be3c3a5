// @ts-check
/** My game: catch the star. Most points after two rounds win. */
import { BUTTON_A, NO_BODY, NO_OWNER, SHAPE, STEP_SECONDS, TICK_HZ, defineGame } from 'pitv/game';

const SLOTS = 8;
const ROUNDS = 2;
const ROUND_TICKS = 40 * TICK_HZ;
const PUSH = 1100; // world units per second squared
const DASH = 320; // world units per second
const DRAG = 0.98; // factor on the speed, each tick
const STAR_RADIUS = 26;
const KIND = { player: 0, star: 1 }; // indexes into view.kinds
const EVENT = { point: 0, dash: 1 }; // indexes into view.events

/** @typedef {import('pitv/game').Flow} Flow */

/** Before each round: a ball for each player, and a star. @param {Flow} flow */
function setUpRound(flow) {
  const { world, body, alive } = flow;
  world.clear();
  for (let slot = 0; slot < SLOTS; slot++) {
    const seated = flow.seated(slot);
    const ball = { kind: KIND.player, owner: slot, x: 240 + 160 * slot, y: 700, radius: 30 };
    body[slot] = seated ? world.add({ ...ball, shape: SHAPE.circle, mass: 1 }) : NO_BODY;
    alive[slot] = seated ? 1 : 0;
  }
  const star = { kind: KIND.star, owner: NO_OWNER, x: 800, y: 300, radius: STAR_RADIUS };
  flow.own.star[0] = world.add({ ...star, shape: SHAPE.circle, sensor: true });
}

/** Before each step of the physics: sticks and buttons move the balls. @param {Flow} flow */
function steer(flow) {
  const { world, body } = flow;
  for (let slot = 0; slot < SLOTS; slot++) {
    const id = body[slot];
    if (id === NO_BODY) continue;
    if (flow.bot[slot] === 1) steerBot(flow, slot, id);
    const x = flow.stickX[slot];
    const y = flow.stickY[slot];
    const dash = flow.tapsA[slot] > 0 ? DASH : 0;
    if (dash > 0) flow.event(EVENT.dash, slot, world.x[id], world.y[id]);
    world.vx[id] = (world.vx[id] + x * (PUSH * STEP_SECONDS + dash)) * DRAG;
    world.vy[id] = (world.vy[id] + y * (PUSH * STEP_SECONDS + dash)) * DRAG;
  }
}

/** A bot rolls to the star, and sometimes dashes. @param {Flow} flow @param {number} slot @param {number} id */
function steerBot(flow, slot, id) {
  const { world, own } = flow;
  const x = world.x[own.star[0]] - world.x[id];
  const y = world.y[own.star[0]] - world.y[id];
  const distance = Math.sqrt(x * x + y * y) || 1;
  const dashes = world.random() < 1 / (2 * TICK_HZ);
  flow.command(slot, x / distance, y / distance, dashes ? BUTTON_A : 0);
}

/** After each step: the player who touches the star gets a point, and the star moves. @param {Flow} flow */
function settle(flow) {
  if (!flow.playing) return;
  const { world, own } = flow;
  const star = own.star[0];
  for (let i = 0; i < world.contactCount; i++) {
    if (world.contactB[i] !== star) continue; // A < B, and the star was added last
    const slot = world.owner[world.contactA[i]];
    flow.score[slot]++;
    flow.event(EVENT.point, slot, world.x[star], world.y[star]);
    world.x[star] = 100 + world.random() * (world.width - 200);
    world.y[star] = 100 + world.random() * (world.height - 200);
    break;
  }
  flow.ticksLeft = Math.max(0, ROUND_TICKS - flow.phaseTicks);
  if (flow.phaseTicks >= ROUND_TICKS) flow.endRound(flow.round >= ROUNDS);
}

export default defineGame({
  id: 'my-game',
  title: 'My game',
  tagline: 'Catch the star.',
  rules: ['Each star is a point.', 'A makes you dash.', `Most points after ${ROUNDS} rounds win.`],
  players: { min: 1, max: SLOTS },
  records: [{ name: 'Most stars', of: 'score' }],
  controls: { stick: 'Roll', a: 'Dash' },
  view: {
    rounds: ROUNDS,
    width: 1600,
    height: 900,
    background: '#101428',
    kinds: [
      { name: 'player', look: 'ball', color: 'owner', glow: true },
      { name: 'star', look: 'orb', color: '#ffd24d', glow: true },
    ],
    events: [
      { name: 'point', effect: 'burst', sound: 'power', rumbleMs: 120 },
      { name: 'dash', effect: 'ring', sound: 'dash', rumbleMs: 30 },
    ],
    extra: [],
  },
  seconds: { ready: 3, roundOver: 4, matchOver: 8 },
  border: 'bounce',
  world: () => ({ capacity: SLOTS + 1 }),
  state: () => ({ star: 1 }),
  bots: (humans) => Math.max(0, 3 - humans),
  setUpRound,
  steer,
  settle,
});
