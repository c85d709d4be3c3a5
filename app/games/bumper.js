/**
 * Bumper: balls on a round arena that shrinks. Players push each other off the arena, directly or with
 * loose balls. The last player on the arena wins the round. The score so far changes the players' mass a little
 * (bumper/players.js), so that the weaker ones have a chance.
 */
import { NO_BODY, NO_OWNER, SHAPE, cos256, defineGame, sin256 } from '../game/index.js';
import { steerBot } from './bumper/bot.js';
import { ROUND_TICKS, arenaRadius, dropBodiesOutside, rollInBall } from './bumper/edge.js';
import { LAYOUTS, placeObstacles } from './bumper/layouts.js';
import { drivePlayer, nudgeBalls, recordHits } from './bumper/players.js';
import {
  CAPACITY,
  CENTRE_X,
  CENTRE_Y,
  EVENT,
  EVENTS,
  FULL_RADIUS,
  KIND,
  KINDS,
  PLAYER_RADIUS,
  SLOTS,
} from './bumper/constants.js';

const ROUNDS = 5;
const TARGET_SCORE = 20;
const KNOCK_OUT_POINTS = 2;
const SURVIVOR_POINTS = 3;
const CREDIT_TICKS = 180; // maximum time from a hit to a fall that the hitter gets points for
const START_RING = 0.66; // distance of players from the centre at the start, part of the arena's radius
const MIN_PLAYERS = 4; // bots are added up to this number
const LOOSE_DRAG = 0.984; // factor on the speed of loose balls in each tick
const SUPPLY_TICKS = 70; // interval between loose balls that roll in

/** @typedef {import('../game/index.js').Flow} Flow */

/** Returns the layout of the round. @param {Flow} flow */
const currentLayout = (flow) => LAYOUTS[(flow.round - 1) % LAYOUTS.length];

/** Places players and obstacles. @param {Flow} flow */
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
  placeObstacles(world, currentLayout(flow));
}

/** Applies drag and the players' controls, and supplies loose balls. @param {Flow} flow */
function steer(flow) {
  const { world, own, body } = flow;
  const { drag, push } = currentLayout(flow);
  for (let id = 0; id < world.high; id++) {
    const factor = world.kind[id] === KIND.player ? drag : LOOSE_DRAG;
    world.vx[id] *= factor;
    world.vy[id] *= factor;
  }
  for (let slot = 0; slot < SLOTS; slot++) {
    const id = body[slot];
    if (id === NO_BODY || own.fall[id] > 0) {
      if (flow.human[slot] === 1) nudgeBalls(flow, slot);
      continue;
    }
    if (flow.bot[slot] === 1) steerBot(flow, slot);
    drivePlayer(flow, slot, id, push);
  }
  if (flow.playing && flow.phaseTicks % SUPPLY_TICKS === 0) rollInBall(flow, currentLayout(flow));
}

/** Shrinks the arena, records hits, drops bodies outside and ends the round. @param {Flow} flow */
function settle(flow) {
  const { own } = flow;
  if (flow.playing) {
    own.arena[0] = arenaRadius(flow.phaseTicks);
    flow.ticksLeft = Math.max(0, ROUND_TICKS - flow.phaseTicks);
  }
  recordHits(flow);
  dropBodiesOutside(flow, scoreFall);
  if (flow.playing) endDecidedRound(flow);
}

/** Scores a player's fall. @param {Flow} flow @param {number} slot @param {number} id */
function scoreFall(flow, slot, id) {
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

/** Ends the round if at most one player is left. @param {Flow} flow */
function endDecidedRound(flow) {
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
    'Push others off. The arena shrinks.',
    'Loose balls are ammunition: a ball you hit becomes yours.',
    `Knock-out: ${KNOCK_OUT_POINTS} points. Last one standing: ${SURVIVOR_POINTS}.`,
    `First to ${TARGET_SCORE} points wins, or the best after ${ROUNDS} rounds.`,
  ],
  players: { min: 1, max: SLOTS },
  records: [
    { name: 'Most points', of: 'score' },
    { name: 'Quickest fall', of: 'time', from: 'knockOut' },
  ],
  controls: {
    stick: 'Roll',
    a: 'Dash',
    b: 'Brace: get heavy for a moment',
    out: 'Nudge the loose balls',
  },
  translations: {
    ko: {
      title: '범퍼',
      tagline: '밀어내고 끝까지 버티세요.',
      rules: [
        '다른 공을 밀어내세요. 경기장이 줄어요.',
        '굴러다니는 공은 맞히면 내 무기가 돼요.',
        `밀어내면 ${KNOCK_OUT_POINTS}점, 마지막까지 남으면 ${SURVIVOR_POINTS}점.`,
        `먼저 ${TARGET_SCORE}점, 또는 ${ROUNDS}라운드 뒤 1위면 승리.`,
      ],
      controls: {
        stick: '굴리기',
        a: '돌진',
        b: '버티기: 잠깐 무거워져요',
        out: '굴러다니는 공 밀기',
      },
      records: ['최다 점수', '가장 빨리 떨어진 기록'],
    },
  },
  view: {
    width: 1600,
    height: 900,
    background: '#0b1020',
    kinds: KINDS,
    events: EVENTS,
    extra: ['arenaRadius'],
    rounds: ROUNDS,
  },
  options: { botStrength: { default: 0, min: 0, max: 2 } },
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
  decorate(flow, writer) {
    const radius = flow.own.arena[0];
    writer.kind = KIND.floor;
    writer.circle(0, CENTRE_X, CENTRE_Y, radius);
    writer.kind = KIND.rim;
    writer.circle(1, CENTRE_X, CENTRE_Y, radius);
  },
});
