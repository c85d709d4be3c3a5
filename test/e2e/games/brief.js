/** Brief: roll a ball. A press of A ends the match. For tests that need a match and its results soon. */
import { defineGame } from '../../../app/game/define.js';
import { NO_BODY } from '../../../app/game/frame.js';
import { SHAPE, STEP_SECONDS } from '../../../app/game/world.js';

const SLOTS = 4;
const PUSH = 900; // world units per second squared
const DRAG = 0.98; // factor on the speed, each tick

/** @param {import('../../../app/game/flow.js').Flow} flow */
function setUpRound(flow) {
  const { world, body, alive } = flow;
  world.clear();
  for (let slot = 0; slot < SLOTS; slot++) {
    const seated = flow.seated(slot);
    const ball = { shape: SHAPE.circle, kind: 0, owner: slot, radius: 40, mass: 1 };
    body[slot] = seated ? world.add({ ...ball, x: 400 + 250 * slot, y: 300 }) : NO_BODY;
    alive[slot] = seated ? 1 : 0;
  }
}

/** @param {import('../../../app/game/flow.js').Flow} flow */
function steer(flow) {
  const { world, body } = flow;
  for (let slot = 0; slot < SLOTS; slot++) {
    const id = body[slot];
    if (id === NO_BODY) continue;
    world.vx[id] = (world.vx[id] + flow.stickX[slot] * PUSH * STEP_SECONDS) * DRAG;
    world.vy[id] = (world.vy[id] + flow.stickY[slot] * PUSH * STEP_SECONDS) * DRAG;
  }
}

/** @param {import('../../../app/game/flow.js').Flow} flow */
function settle(flow) {
  if (!flow.playing) return;
  for (let slot = 0; slot < SLOTS; slot++) {
    if (flow.human[slot] === 0 || flow.tapsA[slot] === 0) continue;
    flow.score[slot]++;
    flow.endRound(true);
  }
}

export default defineGame({
  id: 'brief',
  title: 'Brief',
  tagline: 'Over at the press of a button.',
  rules: ['Roll with the stick.', 'Press A to end the match and to win.'],
  players: { min: 1, max: SLOTS },
  records: [{ name: 'Most points', of: 'score' }],
  controls: { stick: 'Roll', a: 'End', b: 'Nothing' },
  view: {
    width: 1600,
    height: 900,
    background: '#0b1020',
    kinds: [{ name: 'player', look: 'ball', color: 'owner', glow: true }],
    events: [],
    extra: [],
  },
  seconds: { ready: 2, roundOver: 1, matchOver: 5 },
  border: 'bounce',
  world: () => ({ capacity: SLOTS }),
  bots: (humans) => Math.max(0, SLOTS - humans),
  setUpRound,
  steer,
  settle,
});
