// @ts-check
/** Rally: a race. Cars behind the first one drive a little faster, the first one slower. */
import { BODY_STATE, NO_BODY, TICK_HZ, atan256, cos256, defineGame, sin256 } from 'pitv/game';
import { HALF_WIDTH, SAMPLES, TRACKS, WALLS, addWalls } from './track.js';

const SLOTS = 8;
export const LAPS = 5;
const MIN_PLAYERS = 4; // bots are added up to this number
const RACE_TICKS = 100 * TICK_HZ;
const LAST_TICKS = 12 * TICK_HZ; // for the others when the first car has finished
const CAR_RADIUS = 27;
const PUSH = 6.6; // speed that full throttle adds in each tick
const FORWARD_DRAG = 0.985; // factors on the parts of the speed along the car and across it, each tick
const SIDE_DRAG = 0.92;
const TURN = 4.2; // most that a car turns in a tick, 1/256 turns
/** Part of PUSH for each sample of the track behind the first car. */
const CATCH_UP = 0.015;
const MAX_HELP = 0.35;
const MAX_HANDICAP = 0.15;
const STUCK_TICKS = 2 * TICK_HZ;
const BUMP_SPEED = 110;
const GRID = 6; // samples before the start
const GATES = 8; // of a lap, each a point
/** Of bots, by strength: tilt of the stick, ticks between decisions. */
const TILTS = [0.73, 0.79, 0.9];
const DECISION_TICKS = [14, 10, 6];
const FORM = 0.3;

/** Kinds of bodies, their indexes by name, and those of events. */
const KINDS = [
  { name: 'car', look: 'ship', color: 'owner', glow: true },
  { name: 'wall', look: 'wall', color: '#e8eef8' },
  { name: 'road', look: 'disc', color: '#2b2f3c' },
  { name: 'dash', look: 'disc', color: '#5b6274' },
  { name: 'white', look: 'box', color: '#f4f4f8' },
  { name: 'black', look: 'box', color: '#16181f' },
  { name: 'halo', look: 'glow', color: '#ffd24d' },
];
export const KIND = Object.fromEntries(KINDS.map(({ name }, i) => [name, i]));
const EVENT = { bump: 0, lap: 1, finish: 2, placed: 3, go: 4, lead: 5 };
const FLAG_BOXES = 12;

/** @typedef {import('pitv/game').Flow} Flow */

/** @param {Flow} flow */
const trackOf = ({ own }) => TRACKS[own.track[0]];

/** @param {Flow} flow */
function setUpRound(flow) {
  const { world, own } = flow;
  world.clear();
  flow.body.fill(NO_BODY);
  for (const words of Object.values(own)) words.fill(0);
  own.track[0] = world.randomInt(TRACKS.length);
  own.first[0] = world.randomInt(SLOTS);
  own.progress.fill(-GRID);
  addWalls(world, trackOf(flow), KIND.wall);
  seatCars(flow);
}

/** Adds cars for new players, and removes those of players who have left. @param {Flow} flow */
function seatCars(flow) {
  const { world, own, body, alive } = flow;
  for (let i = 0; i < SLOTS; i++) {
    const slot = (i + own.first[0]) % SLOTS; // who stands in front is a matter of luck
    const seated = flow.seated(slot);
    if (seated === (body[slot] !== NO_BODY)) continue;
    alive[slot] = seated ? 1 : 0;
    if (!seated) {
      world.remove(body[slot]);
      body[slot] = NO_BODY;
      continue;
    }
    const others = own.progress.filter((_progress, other) => body[other] !== NO_BODY);
    const cars = others.length; // who comes late starts beside the last one, who comes back where they were
    const isLate = flow.playing && cars > 0;
    own.progress[slot] = isLate
      ? Math.max(own.progress[slot], Math.min(...others))
      : -2 - (cars >> 1);
    const car = { kind: KIND.car, owner: slot, x: 0, y: 0, radius: CAR_RADIUS, mass: 1 };
    body[slot] = world.add({ ...car, shape: world.SHAPE.circle, restitution: 0.6 });
    placeCar(flow, slot, cars % 2 === 0 ? 34 : -34);
    if (flow.playing) flow.event(EVENT.placed, slot, world.x[body[slot]], world.y[body[slot]]);
  }
}

/** Returns the sample of the track at a progress. @param {Flow} flow @param {number} progress */
const sampleAt = (flow, progress) => trackOf(flow)[(progress + SAMPLES * 99) % SAMPLES];

/** Places a car on the road where it is. @param {Flow} flow @param {number} slot @param {number} aside */
function placeCar(flow, slot, aside) {
  const { world, own } = flow;
  const id = flow.body[slot];
  const { x, y, nx, ny } = sampleAt(flow, own.progress[slot]);
  world.x[id] = x + nx * aside;
  world.y[id] = y + ny * aside;
  world.vx[id] = 0;
  world.vy[id] = 0;
  own.heading[slot] = atan256(-nx, ny);
  own.far[slot] = own.progress[slot];
  own.stuck[slot] = 0;
}

/** Before each step of the physics: everybody drives. @param {Flow} flow */
function steer(flow) {
  const { own, body } = flow;
  seatCars(flow);
  let first = -Infinity;
  let second = -Infinity;
  for (let slot = 0; slot < SLOTS; slot++) {
    if (body[slot] === NO_BODY) continue;
    const progress = own.progress[slot];
    second = Math.max(second, Math.min(first, progress));
    first = Math.max(first, progress);
  }
  for (let slot = 0; slot < SLOTS; slot++) {
    if (body[slot] === NO_BODY) continue;
    if (flow.bot[slot] === 1 || own.place[slot] > 0) steerBot(flow, slot);
    const isFirst = own.progress[slot] === first && second > -Infinity;
    drive(flow, slot, isFirst ? second : first);
  }
}

/** @param {Flow} flow @param {number} slot @param {number} rival progress of the first car; for it, of the second */
function drive(flow, slot, rival) {
  const { world, own, stickX, stickY } = flow;
  const id = flow.body[slot];
  const tilt = Math.sqrt(stickX[slot] * stickX[slot] + stickY[slot] * stickY[slot]);
  let turn = 0;
  if (tilt > 0.2) {
    turn = ((atan256(stickY[slot], stickX[slot]) - own.heading[slot] + 640) % 256) - 128;
    own.heading[slot] = (own.heading[slot] + Math.max(-TURN, Math.min(TURN, turn)) + 256) % 256;
  }
  const heading = Math.round(own.heading[slot]) & 255;
  const hx = cos256(heading);
  const hy = sin256(heading);
  const behind = (rival - own.progress[slot]) * CATCH_UP;
  const help = Math.max(-MAX_HANDICAP, Math.min(MAX_HELP, behind));
  const throttle = flow.playing ? tilt * Math.max(0, cos256(Math.round(turn))) : 0;
  const push = PUSH * throttle * (1 + help);
  const along = (world.vx[id] * hx + world.vy[id] * hy) * FORWARD_DRAG + push;
  const across = (world.vy[id] * hx - world.vx[id] * hy) * SIDE_DRAG;
  world.vx[id] = hx * along - hy * across;
  world.vy[id] = hy * along + hx * across;
  world.angle[id] = heading;
  world.state[id] = own.place[slot] > 0 ? BODY_STATE.ghost : help > 0.1 ? BODY_STATE.boost : 0;
  flow.gauge[slot] = Math.max(0, Math.min(1, own.progress[slot] / (LAPS * SAMPLES)));
}

/** After each step: how far each car is. @param {Flow} flow */
function settle(flow) {
  const { world, own, body } = flow;
  for (let i = 0; i < world.contactCount; i++) {
    const slot = world.owner[world.contactB[i]]; // A < B, and the walls were added first
    if (world.contactSpeed[i] < BUMP_SPEED) continue;
    flow.event(EVENT.bump, slot, world.x[world.contactB[i]], world.y[world.contactB[i]]);
  }
  if (!flow.playing) return;
  if (own.clock[0] === 0) own.clock[0] = RACE_TICKS;
  let racing = 0;
  for (let slot = 0; slot < SLOTS; slot++) {
    const id = body[slot];
    if (id === NO_BODY) continue;
    if (own.clock[0] === RACE_TICKS) flow.event(EVENT.go, slot, world.x[id], world.y[id]);
    advance(flow, slot);
    const leader = own.leader[0];
    if (body[leader] === NO_BODY) own.leader[0] = slot;
    else if (own.place[leader] === 0 && own.progress[slot] > own.progress[leader]) {
      own.leader[0] = slot;
      flow.event(EVENT.lead, slot, world.x[id], world.y[id]);
    }
    if (own.place[slot] === 0) racing++;
  }
  flow.ticksLeft = --own.clock[0];
  if (racing === 0 || own.clock[0] <= 0) flow.endRound(true);
}

/** Follows a car along the track. @param {Flow} flow @param {number} slot */
function advance(flow, slot) {
  const { world, own, body, score } = flow;
  const id = body[slot];
  const before = own.progress[slot];
  let nearest = Infinity;
  for (let at = Math.max(-GRID, before - 2); at <= before + 3; at++) {
    const { x, y } = sampleAt(flow, at);
    const distance = (x - world.x[id]) * (x - world.x[id]) + (y - world.y[id]) * (y - world.y[id]);
    if (distance >= nearest) continue;
    nearest = distance;
    own.progress[slot] = at;
  }
  own.stuck[slot] = own.progress[slot] > own.far[slot] ? 0 : own.stuck[slot] + 1;
  own.far[slot] = Math.max(own.far[slot], own.progress[slot]);
  const isOff = nearest > 4 * HALF_WIDTH * HALF_WIDTH;
  const isIdle = flow.stickX[slot] === 0 && flow.stickY[slot] === 0;
  if (isOff || (own.stuck[slot] > STUCK_TICKS && !isIdle)) {
    placeCar(flow, slot, 0);
    flow.event(EVENT.placed, slot, world.x[id], world.y[id]);
  }
  if (own.place[slot] > 0) return;
  const gates = Math.floor((own.progress[slot] * GATES) / SAMPLES);
  if (gates <= score[slot]) return;
  score[slot] = gates;
  if (gates % GATES !== 0) return;
  if (gates < LAPS * GATES) return flow.event(EVENT.lap, slot, world.x[id], world.y[id]);
  own.finished[0]++;
  own.place[slot] = own.finished[0];
  score[slot] += SLOTS - own.finished[0];
  own.clock[0] = Math.min(own.clock[0], LAST_TICKS);
  flow.event(EVENT.finish, slot, world.x[id], world.y[id]);
}

/** A bot drives towards a point further along the road. @param {Flow} flow @param {number} slot */
function steerBot(flow, slot) {
  const { world, own, body } = flow;
  const strength = flow.options.botStrength;
  if (--own.botTicks[slot] > 0) return flow.command(slot, flow.stickX[slot], flow.stickY[slot], 0);
  own.botTicks[slot] = 1 + DECISION_TICKS[strength] / 2 + world.randomInt(DECISION_TICKS[strength]);
  const { x, y, nx, ny } = sampleAt(flow, own.progress[slot] + 4);
  if (world.randomInt(20) === 0) own.lane[slot] = (world.random() - 0.5) * 84;
  if (own.form[slot] === 0 || world.randomInt(120) === 0)
    own.form[slot] = (world.random() - 0.5) * FORM;
  const aside = own.lane[slot];
  const dx = x + nx * aside - world.x[body[slot]];
  const dy = y + ny * aside - world.y[body[slot]];
  const distance = Math.sqrt(dx * dx + dy * dy) || 1;
  const tilt = own.place[slot] > 0 ? 0.5 : Math.min(1, TILTS[strength] + own.form[slot]);
  flow.command(slot, (dx / distance) * tilt, (dy / distance) * tilt, 0);
}

/** @param {Flow} flow @param {import('pitv/game').DecorWriter} writer */
function decorate(flow, writer) {
  const { body, world, own } = flow;
  const samples = trackOf(flow);
  let next = 0;
  writer.kind = KIND.road;
  for (const { x, y } of samples) writer.circle(next++, x, y, HALF_WIDTH + 2);
  writer.kind = KIND.dash;
  for (let i = 0; i < SAMPLES; i += 2) writer.circle(next++, samples[i].x, samples[i].y, 5);
  for (let i = 0; i < FLAG_BOXES; i++) {
    writer.kind = (i + (i >> 1)) % 2 ? KIND.white : KIND.black;
    const y = samples[0].y - HALF_WIDTH + (2 * HALF_WIDTH * ((i >> 1) + 0.5)) / (FLAG_BOXES / 2);
    writer.box(next++, samples[0].x + (i % 2 ? 12 : -12), y, 12, HALF_WIDTH / (FLAG_BOXES / 2));
  }
  const leader = body[own.leader[0]];
  writer.kind = KIND.halo;
  if (leader !== NO_BODY) writer.circle(next, world.x[leader], world.y[leader], 70);
}

export default defineGame({
  id: 'rally',
  title: 'Rally',
  tagline: `A race of ${LAPS} laps.`,
  rules: [
    'Hold the stick in the direction you want to drive.',
    'Sharp turns make the car slide: turn early.',
    'The first car shines. The others are a little faster.',
  ],
  players: { min: 1, max: SLOTS },
  records: [{ name: 'Fastest race', of: 'time', from: 'finish' }],
  controls: { stick: 'Drive' },
  translations: {
    ko: {
      title: '랠리',
      tagline: `${LAPS}바퀴 경주.`,
      rules: [
        '가고 싶은 쪽으로 스틱을 계속 기울이세요.',
        '급하게 꺾으면 미끄러져요. 미리 돌리세요.',
        '1등 자동차는 빛나고, 다른 차는 조금 더 빨라요.',
      ],
      controls: { stick: '운전', a: '', b: '' },
      round: '',
      records: ['가장 빠른 완주'],
    },
  },
  view: {
    width: 1600,
    height: 900,
    background: '#1f5a34',
    kinds: KINDS,
    events: [
      { name: 'bump', effect: 'flash', sound: 'thud', rumbleMs: 60 },
      { name: 'lap', effect: 'ring', sound: 'join', rumbleMs: 80 },
      { name: 'finish', effect: 'burst', sound: 'fanfare', rumbleMs: 300 },
      { name: 'placed', effect: 'ring', sound: 'move', rumbleMs: 0 },
      { name: 'go', effect: 'ring', sound: 'go', rumbleMs: 0 },
      { name: 'lead', effect: 'flash', sound: 'power', rumbleMs: 40 },
    ],
    extra: [],
    round: '',
  },
  options: { botStrength: { default: 0, min: 0, max: 2 } },
  seconds: { ready: 3, roundOver: 3, matchOver: 8 },
  castAlways: true,
  decor: SAMPLES * 1.5 + FLAG_BOXES + 1,
  state: () => ({
    track: 1,
    first: 1, // slot of the pole position
    clock: 1, // ticks left
    finished: 1, // cars
    leader: 1, // slot
    progress: SLOTS, // samples of the track since the start
    far: SLOTS, // greatest progress
    place: SLOTS, // of cars that have finished
    heading: SLOTS, // 1/256 turns
    stuck: SLOTS, // ticks without progress
    botTicks: SLOTS,
    form: SLOTS, // of bots, changes their tilt
    lane: SLOTS, // of bots, from the middle of the road
  }),
  world: () => ({ capacity: WALLS + SLOTS }),
  bots: (humans) => Math.max(0, MIN_PLAYERS - humans),
  setUpRound,
  steer,
  settle,
  decorate,
});
