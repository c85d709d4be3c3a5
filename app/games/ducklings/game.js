// @ts-check
/** Ducklings: a duckling follows the player who touches it. Players who are behind walk a little faster. */
import { NO_BODY, NO_OWNER, SHAPE, TICK_HZ, atan256, cos256, defineGame, sin256 } from 'pitv/game';

const SLOTS = 8;
const DUCKLINGS = 16;
const MATCH_TICKS = 75 * TICK_HZ;
const MIN_PLAYERS = 3; // bots are added up to this number
const PUSH = 12; // speed that a fully tilted stick adds in each tick
const DRAG = 0.955; // factor on the speed, each tick
/** What each duckling behind the leader adds to the speed, and what each in the train takes. */
const CATCH_UP = 0.025;
const MAX_BEHIND = 6;
const BURDEN = 0.025;
const WANDER_SPEED = 30;
const FOLLOW_SPEED = 430; // fastest
const GAP = 44; // from one duckling in a train to the next
const FIRST_GAP = 60;
const SAFE_TICKS = 2 * TICK_HZ; // for which nobody else can take a duckling
const HOME_TICKS = 7; // between two ducklings that go into the pond
const POND_RADIUS = 105;
const DUCK_RADIUS = 33;
const DUCKLING_RADIUS = 26;
const EDGE = 60;
const SWIMMERS = 12; // ducklings that a pond shows at most
const SLOT_DECOR = SWIMMERS + 4;
const FLOWERS = 30;
/** By slot: the first four have the corners. */
const PONDS = [
  { x: 140, y: 140 },
  { x: 1460, y: 760 },
  { x: 1460, y: 140 },
  { x: 140, y: 760 },
  { x: 800, y: 125 },
  { x: 800, y: 775 },
  { x: 130, y: 450 },
  { x: 1470, y: 450 },
];
/** Of bots, by strength: tilt of the stick, ticks between decisions, length of a train that goes home. */
const TILTS = [0.55, 0.62, 0.84];
const DECISION_TICKS = [46, 38, 14];
const TRAINS = [3, 4, 4];

/** Kinds of bodies, their indexes by name, and those of events. */
const KINDS = [
  { name: 'duck', look: 'ball', color: 'owner' },
  { name: 'duckling', look: 'ship', color: '#ffe45c', picture: 'art/duckling.png' },
  { name: 'beak', look: 'disc', color: '#ff8a1f' },
  { name: 'tail', look: 'ball', color: 'owner' },
  { name: 'ring', look: 'ring', color: 'owner' },
  { name: 'water', look: 'floor', color: '#1c5f8a' },
  { name: 'meadow', look: 'box', color: '#2f7d3b' },
  { name: 'flower', look: 'disc', color: '#d9f2a5' },
];
export const KIND = Object.fromEntries(KINDS.map(({ name }, i) => [name, i]));
export const EVENT = { follow: 0, home: 1, hatch: 2, lost: 3 };

/** @typedef {import('pitv/game').Flow} Flow */

/** @param {Flow} flow */
function setUpRound(flow) {
  const { world, own } = flow;
  world.clear();
  flow.body.fill(NO_BODY);
  for (const words of Object.values(own)) words.fill(0);
  for (let i = 0; i < DUCKLINGS; i++) {
    world.add({
      shape: SHAPE.circle,
      sensor: true,
      kind: KIND.duckling,
      x: 300 + world.random() * 1000,
      y: 150 + world.random() * 600,
      radius: DUCKLING_RADIUS,
      angle: world.randomInt(256),
    });
  }
  seatDucks(flow);
}

/** Adds ducks for new players, and removes those of players who have left. @param {Flow} flow */
function seatDucks(flow) {
  const { world, body, alive } = flow;
  for (let slot = 0; slot < SLOTS; slot++) {
    const seated = flow.seated(slot);
    if (seated === (body[slot] !== NO_BODY)) continue;
    alive[slot] = seated ? 1 : 0;
    if (seated) {
      const { x, y } = PONDS[slot];
      const duck = { kind: KIND.duck, owner: slot, x, y, radius: DUCK_RADIUS, restitution: 0.7 };
      body[slot] = world.add({ ...duck, shape: SHAPE.circle, mass: 1 });
    } else {
      while (flow.own.length[slot] > 0) leave(flow, slot, 0);
      world.remove(body[slot]);
      body[slot] = NO_BODY;
    }
  }
}

/** Takes a duckling out of a train. @param {Flow} flow @param {number} slot @param {number} place in the train */
function leave({ own }, slot, place) {
  const first = slot * DUCKLINGS;
  own.leader[own.train[first + place]] = 0;
  own.train.copyWithin(first + place, first + place + 1, first + own.length[slot]);
  own.length[slot]--;
}

/** Before each step of the physics: everybody walks. @param {Flow} flow */
function steer(flow) {
  const { world, own, body, score } = flow;
  seatDucks(flow);
  let best = 0;
  for (let slot = 0; slot < SLOTS; slot++) best = Math.max(best, score[slot]);
  for (let slot = 0; slot < SLOTS; slot++) {
    const id = body[slot];
    if (id === NO_BODY) continue;
    if (flow.bot[slot] === 1) steerBot(flow, slot);
    const help = 1 + CATCH_UP * Math.min(MAX_BEHIND, best - score[slot]);
    const push = PUSH * help * (1 - BURDEN * Math.min(8, own.length[slot]));
    world.vx[id] = (world.vx[id] + flow.stickX[slot] * push) * DRAG;
    world.vy[id] = (world.vy[id] + flow.stickY[slot] * push) * DRAG;
    const { x, y, vx, vy } = world;
    x[id] = Math.max(DUCK_RADIUS, Math.min(world.width - DUCK_RADIUS, x[id]));
    y[id] = Math.max(DUCK_RADIUS, Math.min(world.height - DUCK_RADIUS, y[id]));
    if (vx[id] * vx[id] + vy[id] * vy[id] > 100) world.angle[id] = atan256(vy[id], vx[id]);
    for (let place = 0; place < own.length[slot]; place++) {
      const ahead = place === 0 ? id : own.train[slot * DUCKLINGS + place - 1];
      follow(flow, own.train[slot * DUCKLINGS + place], ahead, place === 0 ? FIRST_GAP : GAP);
    }
  }
  for (let id = 0; id < DUCKLINGS; id++) if (own.leader[id] === 0) wander(flow, id);
}

/** @param {Flow} flow @param {number} id @param {number} ahead id @param {number} gap */
function follow({ world }, id, ahead, gap) {
  const dx = world.x[ahead] - world.x[id];
  const dy = world.y[ahead] - world.y[id];
  const distance = Math.sqrt(dx * dx + dy * dy) || 1;
  const speed = Math.max(0, Math.min(FOLLOW_SPEED, (distance - gap) * 9));
  world.vx[id] = (dx / distance) * speed;
  world.vy[id] = (dy / distance) * speed;
  if (speed > 10) world.angle[id] = atan256(dy, dx);
}

/** @param {Flow} flow @param {number} id of a duckling */
function wander({ world }, id) {
  const { x, y, angle } = world;
  if (world.randomInt(50) === 0) angle[id] = (angle[id] + world.randomInt(81) - 40) & 255;
  const isOut =
    x[id] < EDGE || x[id] > world.width - EDGE || y[id] < EDGE || y[id] > world.height - EDGE;
  if (isOut) angle[id] = atan256(world.height / 2 - y[id], world.width / 2 - x[id]);
  world.vx[id] = cos256(angle[id]) * WANDER_SPEED;
  world.vy[id] = sin256(angle[id]) * WANDER_SPEED;
}

/** After each step: who touches whom, and who is at home. @param {Flow} flow */
function settle(flow) {
  const { world, own } = flow;
  for (let id = 0; id < DUCKLINGS; id++) own.safe[id] = Math.max(0, own.safe[id] - 1);
  if (!flow.playing) return;
  for (let i = 0; i < world.contactCount; i++) {
    const id = world.contactA[i]; // A < B, and the ducklings were added first
    const duck = world.contactB[i];
    if (id < DUCKLINGS && duck >= DUCKLINGS) touch(flow, id, world.owner[duck]);
  }
  for (let slot = 0; slot < SLOTS; slot++) {
    if (own.homeTicks[slot] > 0) own.homeTicks[slot]--;
    else if (own.length[slot] > 0 && isHome(flow, slot)) bringHome(flow, slot);
    flow.gauge[slot] = Math.min(1, own.length[slot] / 5);
  }
  flow.ticksLeft = Math.max(0, MATCH_TICKS - flow.phaseTicks);
  if (flow.phaseTicks >= MATCH_TICKS) flow.endRound(true);
}

/** A duckling follows the player who touches it. @param {Flow} flow @param {number} id @param {number} slot */
function touch(flow, id, slot) {
  const { world, own } = flow;
  const before = own.leader[id] - 1;
  if (before === slot || own.safe[id] > 0) return;
  if (before >= 0) {
    const first = before * DUCKLINGS;
    leave(flow, before, own.train.indexOf(id, first) - first);
    flow.event(EVENT.lost, before, world.x[id], world.y[id]);
  }
  own.train[slot * DUCKLINGS + own.length[slot]++] = id;
  own.leader[id] = slot + 1;
  own.safe[id] = SAFE_TICKS;
  flow.event(EVENT.follow, slot, world.x[id], world.y[id]);
}

/** Whether a player is at the own pond. @param {Flow} flow @param {number} slot with a body */
function isHome({ world, body }, slot) {
  const dx = world.x[body[slot]] - PONDS[slot].x;
  const dy = world.y[body[slot]] - PONDS[slot].y;
  return dx * dx + dy * dy < POND_RADIUS * POND_RADIUS;
}

/** The first duckling of a train swims, and another one hatches. @param {Flow} flow @param {number} slot */
function bringHome(flow, slot) {
  const { world, own, score } = flow;
  const id = own.train[slot * DUCKLINGS];
  leave(flow, slot, 0);
  own.homeTicks[slot] = HOME_TICKS;
  score[slot]++;
  flow.event(EVENT.home, slot, PONDS[slot].x, PONDS[slot].y);
  let last = slot; // the one with the fewest: the next duckling hatches nearer to that pond
  for (let other = 0; other < SLOTS; other++) {
    if (flow.seated(other) && score[other] < score[last]) last = other;
  }
  let best = Infinity;
  for (let i = 0; i < 3; i++) {
    const x = 280 + world.random() * 1040;
    const y = 230 + world.random() * 440;
    const distance =
      (x - PONDS[last].x) * (x - PONDS[last].x) + (y - PONDS[last].y) * (y - PONDS[last].y);
    if (distance >= best) continue;
    best = distance;
    world.x[id] = x;
    world.y[id] = y;
  }
  flow.event(EVENT.hatch, NO_OWNER, world.x[id], world.y[id]);
}

/** A bot collects a train and leads it home. @param {Flow} flow @param {number} slot */
function steerBot(flow, slot) {
  const { world, own, body } = flow;
  const strength = flow.options.botStrength;
  if (--own.botTicks[slot] > 0) return flow.command(slot, flow.stickX[slot], flow.stickY[slot], 0);
  own.botTicks[slot] = 1 + DECISION_TICKS[strength] / 2 + world.randomInt(DECISION_TICKS[strength]);
  let { x, y } = PONDS[slot];
  let best = own.length[slot] >= TRAINS[strength] ? -1 : Infinity;
  if (own.length[slot] > 0 && flow.playing && flow.ticksLeft < 7 * TICK_HZ) best = -1;
  for (let id = 0; id < DUCKLINGS; id++) {
    const leader = own.leader[id] - 1;
    if (leader === slot || own.safe[id] > 0) continue;
    if (leader >= 0 && (strength === 0 || flow.learning[leader] > 0)) continue; // easy bots take nothing away
    const dx = world.x[id] - world.x[body[slot]];
    const dy = world.y[id] - world.y[body[slot]];
    const distance = (dx * dx + dy * dy) * (leader >= 0 ? 4 : 1);
    if (distance >= best) continue;
    best = distance;
    x = world.x[id];
    y = world.y[id];
  }
  const dx = x - world.x[body[slot]] + (world.random() - 0.5) * 40;
  const dy = y - world.y[body[slot]] + (world.random() - 0.5) * 40;
  const distance = Math.sqrt(dx * dx + dy * dy) || 1;
  const tilt = TILTS[strength] * Math.min(1, distance / 60);
  flow.command(slot, (dx / distance) * tilt, (dy / distance) * tilt, 0);
}

/** @param {Flow} flow @param {import('pitv/game').DecorWriter} writer */
function decorate(flow, writer) {
  const { world, own, body } = flow;
  let next = 0;
  writer.kind = KIND.meadow;
  writer.box(next++, world.width / 2, world.height / 2, world.width / 2, world.height / 2);
  writer.kind = KIND.flower;
  for (let i = 0; i < FLOWERS; i++) {
    writer.circle(
      next++,
      (i * 619 + 90) % world.width,
      (i * 263 + 70) % world.height,
      3.5 + (i % 3),
    );
  }
  for (let slot = 0; slot < SLOTS; slot++, next += SLOT_DECOR) {
    const id = body[slot];
    if (id === NO_BODY) continue;
    drawPond(flow, writer, next, slot);
    const x = cos256(world.angle[id]) * DUCK_RADIUS;
    const y = sin256(world.angle[id]) * DUCK_RADIUS;
    writer.angle = 0;
    writer.kind = KIND.beak;
    writer.circle(next + SLOT_DECOR - 1, world.x[id] + x, world.y[id] + y, DUCK_RADIUS * 0.45);
    writer.owner = slot;
    writer.kind = KIND.tail;
    writer.circle(next + SLOT_DECOR - 2, world.x[id] - x, world.y[id] - y, DUCK_RADIUS * 0.45);
  }
  writer.kind = KIND.ring;
  for (let id = 0; id < DUCKLINGS; id++) {
    if (own.leader[id] === 0) continue;
    writer.owner = own.leader[id] - 1;
    writer.circle(next + id, world.x[id], world.y[id], DUCKLING_RADIUS + 5);
  }
}

/**
 * Draws a pond, and the ducklings that are at home.
 * @param {Flow} flow @param {import('pitv/game').DecorWriter} writer
 * @param {number} first index @param {number} slot
 */
function drawPond({ tick, score }, writer, first, slot) {
  const { x, y } = PONDS[slot];
  writer.owner = NO_OWNER;
  writer.kind = KIND.water;
  writer.circle(first, x, y, POND_RADIUS - 6);
  writer.owner = slot;
  writer.kind = KIND.ring;
  writer.circle(first + 1, x, y, POND_RADIUS);
  writer.owner = NO_OWNER;
  writer.kind = KIND.duckling;
  for (let i = 0; i < Math.min(SWIMMERS, score[slot]); i++) {
    const angle = ((i * 256) / SWIMMERS + (tick >> 2)) & 255;
    writer.angle = (angle + 64) & 255;
    writer.circle(first + 2 + i, x + cos256(angle) * 72, y + sin256(angle) * 70, 18);
  }
}

export default defineGame({
  id: 'ducklings',
  title: 'Ducklings',
  tagline: 'Lead the ducklings home.',
  rules: [
    'Touch a duckling, and it follows you.',
    'Lead your ducklings to the pond of your colour.',
    'You may take one from the train of another duck.',
    'Most ducklings at home win.',
  ],
  players: { min: 1, max: SLOTS },
  records: [{ name: 'Most ducklings', of: 'score' }],
  controls: { stick: 'Walk' },
  translations: {
    ko: {
      title: '아기 오리',
      tagline: '아기 오리를 집으로 데려가요.',
      rules: [
        '아기 오리에 닿으면 따라와요.',
        '내 색깔 연못으로 데려가세요.',
        '다른 오리의 줄에서 한 마리씩 데려올 수도 있어요.',
        '연못에 아기 오리가 가장 많으면 승리.',
      ],
      controls: { stick: '걷기', a: '', b: '' },
      round: '',
      records: ['가장 많은 아기 오리'],
    },
  },
  view: {
    width: 1600,
    height: 900,
    background: '#1f5a30',
    kinds: KINDS,
    events: [
      { name: 'follow', effect: 'flash', sound: 'pop', rumbleMs: 40 },
      { name: 'home', effect: 'ring', sound: 'join', rumbleMs: 60 },
      { name: 'hatch', effect: 'flash', sound: 'move', rumbleMs: 0 },
      { name: 'lost', effect: 'flash', sound: 'thud', rumbleMs: 120 },
    ],
    extra: [],
    round: '',
  },
  options: { botStrength: { default: 0, min: 0, max: 2 } },
  seconds: { ready: 3, roundOver: 3, matchOver: 8 },
  castAlways: true,
  border: 'bounce',
  decor: 1 + FLOWERS + SLOTS * SLOT_DECOR + DUCKLINGS,
  state: () => ({
    leader: DUCKLINGS, // slot + 1, or 0
    safe: DUCKLINGS,
    train: SLOTS * DUCKLINGS, // ids of ducklings, by slot
    length: SLOTS,
    homeTicks: SLOTS,
    botTicks: SLOTS,
  }),
  world: () => ({ capacity: DUCKLINGS + SLOTS }),
  bots: (humans) => Math.max(0, MIN_PLAYERS - humans),
  setUpRound,
  steer,
  settle,
  decorate,
});
