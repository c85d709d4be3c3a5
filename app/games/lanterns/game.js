// @ts-check
/** Lanterns: all players remember together which lanterns were lit, and light them again. Nobody has to be fast. */
import { NO_BODY, NO_OWNER, BUTTON_A, SHAPE, TICK_HZ, atan256, defineGame } from 'pitv/game';

const SLOTS = 8;
const COLUMNS = 4;
export const LANTERNS = 12;
export const ROUNDS = 6;
const LIVES = 3;
const DEMO_BOTS = 2;
const FIRST_LENGTH = 3;
const PUSH = 17; // speed that a fully tilted stick adds in each tick
const DRAG = 0.95; // factor on the speed, each tick
const PLAYER_RADIUS = 34;
const LANTERN_RADIUS = 50;
export const REACH = 100;
const PAUSE_TICKS = 45; // before a pattern is shown
const STEP_TICKS = 42; // of each lantern of a pattern, or for each when all shine at once
const LIT_TICKS = 30;
const GOOD_TICKS = 55;
const BAD_TICKS = 100;
const TIME_TICKS = 8 * TICK_HZ; // to light a pattern, and for each of its lanterns
const LANTERN_TICKS = 4 * TICK_HZ;
/** Of bots, by strength: share of their choices that are wrong. */
const ERRORS = [0.08, 0.04, 0.02];
const DECISION_TICKS = 40;

/** Kinds of bodies, their indexes by name, and those of events. */
const KINDS = [
  { name: 'player', look: 'ball', color: 'owner', glow: true },
  { name: 'dark', look: 'ball', color: '#4b3f63' },
  { name: 'lit', look: 'orb', color: '#ffb13d', glow: true },
  { name: 'wrong', look: 'orb', color: '#ff3b3b', glow: true },
  { name: 'light', look: 'glow', color: '#b8701c' },
  { name: 'string', look: 'wall', color: '#372d52' },
  { name: 'right', look: 'orb', color: '#7dff9a', glow: true },
  { name: 'reach', look: 'ring', color: 'owner' },
];
export const KIND = Object.fromEntries(KINDS.map(({ name }, i) => [name, i]));
export const EVENT = { show: 0, light: 1, wrong: 2, good: 3, won: 4, walk: 5 };
/** What happens: the pattern is shown, people light it, or see that they were right or wrong. */
export const MODE = { show: 0, walk: 1, good: 2, bad: 3 };

/** @typedef {import('pitv/game').Flow} Flow */

/** @param {number} lantern */
export const placeOf = (lantern) => ({
  x: 290 + 340 * (lantern % COLUMNS),
  y: 140 + 275 * Math.floor(lantern / COLUMNS),
});

/** Whether the lanterns of a round may be lit in any order: they are shown all at once. @param {number} round */
const isAnyOrder = (round) => round % 2 === 0;

/** @param {Flow} flow */
function setUpRound(flow) {
  const { world, own, round } = flow;
  if (round === 1) {
    world.clear();
    flow.body.fill(NO_BODY);
    for (const words of Object.values(own)) words.fill(0);
    own.lives[0] = LIVES;
    for (let i = 0; i < LANTERNS; i++) {
      const { x, y } = placeOf(i);
      const lantern = { kind: KIND.dark, x, y, radius: LANTERN_RADIUS, mass: Infinity };
      world.add({ ...lantern, shape: SHAPE.circle, sensor: true });
    }
  }
  own.tries[0] = 0;
  own.pattern.forEach((_, i) => (own.pattern[i] = i));
  for (let i = 0; i < LANTERNS; i++) {
    const other = i + world.randomInt(LANTERNS - i);
    [own.pattern[i], own.pattern[other]] = [own.pattern[other], own.pattern[i]];
  }
  own.length[0] = FIRST_LENGTH + Math.floor(round / 2);
  setMode(flow, MODE.show);
  seatPlayers(flow);
}

/** Adds bodies for new players, and removes those of players who have left. @param {Flow} flow */
function seatPlayers(flow) {
  const { world, body, alive } = flow;
  for (let slot = 0; slot < SLOTS; slot++) {
    const seated = flow.seated(slot);
    if (seated === (body[slot] !== NO_BODY)) continue;
    alive[slot] = seated ? 1 : 0;
    if (!seated) world.remove(body[slot]);
    const player = {
      kind: KIND.player,
      owner: slot,
      radius: PLAYER_RADIUS,
      mass: 1,
      restitution: 0.5,
    };
    const at = { x: 460 + 340 * (slot % 3), y: 290 + 110 * Math.floor(slot / 3), angle: 64 };
    body[slot] = seated ? world.add({ ...player, ...at, shape: SHAPE.circle }) : NO_BODY;
  }
}

/** @param {Flow} flow @param {number} mode one of MODE */
function setMode({ own }, mode) {
  own.mode[0] = mode;
  own.modeTicks[0] = 0;
  if (mode === MODE.show) own.lit.fill(0);
  if (mode === MODE.show) own.step[0] = 0;
}

/** Before each step of the physics: everybody walks, and lights lanterns. @param {Flow} flow */
function steer(flow) {
  const { world, own, body } = flow;
  seatPlayers(flow);
  for (let slot = 0; slot < SLOTS; slot++) {
    const id = body[slot];
    if (id === NO_BODY) continue;
    if (flow.bot[slot] === 1) steerBot(flow, slot);
    world.vx[id] = (world.vx[id] + flow.stickX[slot] * PUSH) * DRAG;
    world.vy[id] = (world.vy[id] + flow.stickY[slot] * PUSH) * DRAG;
    const [vx, vy] = [world.vx[id], world.vy[id]];
    if (vx * vx + vy * vy > 100) world.angle[id] = atan256(vy, vx);
    const lantern = lanternAt(world, id);
    own.near[slot] = lantern + 1;
    if (flow.playing && flow.tapsA[slot] > 0 && lantern >= 0) light(flow, slot, lantern);
  }
}

/** Returns the lantern that a body reaches, or -1. @param {import('pitv/game').World} world @param {number} id */
function lanternAt(world, id) {
  for (let lantern = 0; lantern < LANTERNS; lantern++) {
    const dx = world.x[lantern] - world.x[id];
    const dy = world.y[lantern] - world.y[id];
    if (dx * dx + dy * dy < REACH * REACH) return lantern;
  }
  return -1;
}

/** Whether a lantern is one to light now. @param {Flow} flow @param {number} lantern */
function isNext({ own, round }, lantern) {
  const place = own.pattern.indexOf(lantern);
  return place < own.length[0] && (isAnyOrder(round) || place === own.step[0]);
}

/** A player lights a lantern. @param {Flow} flow @param {number} slot @param {number} lantern */
function light(flow, slot, lantern) {
  const { world, own } = flow;
  if (own.mode[0] !== MODE.walk || own.lit[lantern] === 1) return;
  if (!isNext(flow, lantern)) {
    own.wrong[0] = lantern;
    return fail(flow, slot, world.x[lantern], world.y[lantern]);
  }
  own.lit[lantern] = 1;
  own.step[0]++;
  own.total[0]++;
  flow.score[slot]++;
  flow.event(EVENT.light, slot, world.x[lantern], world.y[lantern]);
  if (own.step[0] < own.length[0]) return;
  setMode(flow, MODE.good);
  flow.event(EVENT.good, NO_OWNER, world.width / 2, world.height / 2);
}

/** A mistake costs a life. @param {Flow} flow @param {number} slot @param {number} x @param {number} y */
function fail(flow, slot, x, y) {
  flow.own.lives[0]--;
  flow.own.tries[0]++;
  setMode(flow, MODE.bad);
  flow.event(EVENT.wrong, slot, x, y);
}

/** After each step: the pattern is shown, and time passes. @param {Flow} flow */
function settle(flow) {
  if (!flow.playing) return;
  const { world, own } = flow;
  const ticks = ++own.modeTicks[0];
  const length = own.length[0];
  if (own.mode[0] === MODE.show) {
    show(flow, ticks - PAUSE_TICKS);
  } else if (own.mode[0] === MODE.walk) {
    flow.ticksLeft = TIME_TICKS + LANTERN_TICKS * length - ticks;
    own.wrong[0] = LANTERNS;
    if (flow.ticksLeft <= 0) fail(flow, NO_OWNER, world.width / 2, world.height / 2);
  } else if (own.mode[0] === MODE.good && ticks >= GOOD_TICKS) {
    own.won[0] = flow.round >= ROUNDS ? 1 : 0;
    if (own.won[0] === 1) flow.event(EVENT.won, NO_OWNER, world.width / 2, world.height / 2);
    flow.endRound(own.won[0] === 1);
  } else if (own.mode[0] === MODE.bad && ticks >= BAD_TICKS) {
    if (own.lives[0] > 0) setMode(flow, MODE.show);
    else flow.endRound(true);
  }
  if (own.mode[0] !== MODE.walk) flow.ticksLeft = 0;
  for (let i = 0; i < LANTERNS; i++) world.kind[i] = kindOf(flow, i);
}

/** Plays the sounds of a pattern that is shown, until people may walk. @param {Flow} flow @param {number} ticks */
function show(flow, ticks) {
  const { world, own } = flow;
  if (ticks < 0 || ticks % STEP_TICKS !== 0) return;
  const at = ticks / STEP_TICKS;
  const lantern = own.pattern[at];
  if (at === own.length[0]) {
    setMode(flow, MODE.walk);
    flow.event(EVENT.walk, NO_OWNER, world.width / 2, world.height - 28);
  } else if (at === 0 || !isAnyOrder(flow.round)) {
    flow.event(EVENT.show, NO_OWNER, world.x[lantern], world.y[lantern]);
  }
}

/** Returns how a lantern looks. @param {Flow} flow @param {number} lantern @returns {number} kind */
function kindOf({ own, round }, lantern) {
  const ticks = own.modeTicks[0];
  const place = own.pattern.indexOf(lantern);
  const isPart = place < own.length[0];
  if (own.mode[0] === MODE.show) {
    const shown = ticks - PAUSE_TICKS;
    const isAll = isAnyOrder(round) && shown >= 0 && shown < STEP_TICKS * own.length[0] - 20;
    const since = shown - place * STEP_TICKS;
    return isPart && (isAnyOrder(round) ? isAll : since >= 0 && since < LIT_TICKS)
      ? KIND.lit
      : KIND.dark;
  }
  if (own.mode[0] === MODE.good && isPart) return ticks % 20 < 12 ? KIND.right : KIND.lit;
  if (own.mode[0] === MODE.bad && lantern === own.wrong[0])
    return ticks % 20 < 12 ? KIND.wrong : KIND.dark;
  return own.lit[lantern] === 1 ? KIND.lit : KIND.dark;
}

/** A bot remembers most of the lanterns. @param {Flow} flow @param {number} slot */
function steerBot(flow, slot) {
  const { world, own, body } = flow;
  if (own.mode[0] !== MODE.walk) {
    own.botTicks[slot] = 0;
    return flow.command(slot, 0, 0, 0);
  }
  if (--own.botTicks[slot] <= 0 || own.lit[own.target[slot]] === 1) {
    own.botTicks[slot] = DECISION_TICKS * 4;
    const isWrong = world.random() < ERRORS[flow.options.botStrength];
    let place = own.step[0];
    while (place < own.length[0] - 1 && own.lit[own.pattern[place]] === 1) place++;
    own.target[slot] = isWrong ? world.randomInt(LANTERNS) : own.pattern[place];
  }
  const target = own.target[slot];
  const dx = world.x[target] - world.x[body[slot]];
  const dy = world.y[target] - world.y[body[slot]];
  const distance = Math.sqrt(dx * dx + dy * dy) || 1;
  const tilt = 0.8 * Math.min(1, distance / 150);
  const isThere = distance < 60 && own.lit[target] === 0 && world.randomInt(20) === 0;
  flow.command(slot, (dx / distance) * tilt, (dy / distance) * tilt, isThere ? BUTTON_A : 0);
}

/** @param {Flow} flow @param {import('pitv/game').DecorWriter} writer */
function decorate({ own, world, body, round }, writer) {
  let next = drawProgress(writer, own.length[0], own.step[0], isAnyOrder(round));
  writer.kind = KIND.string;
  for (let row = 0; row < LANTERNS; row += COLUMNS) {
    writer.segment(
      next++,
      world.x[row] - 200,
      world.y[row],
      world.x[row + COLUMNS - 1] + 200,
      world.y[row],
    );
  }
  writer.kind = KIND.light;
  for (let i = 0; i < LANTERNS; i++, next++) {
    if (world.kind[i] === KIND.lit || world.kind[i] === KIND.right)
      writer.circle(next, world.x[i], world.y[i], 140);
  }
  writer.kind = KIND.reach;
  for (let slot = 0; slot < SLOTS; slot++, next++) {
    const lantern = own.near[slot] - 1;
    if (body[slot] === NO_BODY || lantern < 0 || own.mode[0] !== MODE.walk) continue;
    writer.owner = slot;
    writer.circle(next, world.x[lantern], world.y[lantern], LANTERN_RADIUS + 14);
  }
}

/**
 * Draws a dot for each lantern of the pattern, joined by a line if their order matters.
 * @param {import('pitv/game').DecorWriter} writer @param {number} length @param {number} step @param {boolean} isAny
 */
function drawProgress(writer, length, step, isAny) {
  const [y, gap] = [872, 56];
  const first = 800 - ((length - 1) * gap) / 2;
  writer.kind = KIND.string;
  if (!isAny) writer.segment(LANTERNS, first, y, first + (length - 1) * gap, y);
  for (let i = 0; i < length; i++) {
    writer.kind = i < step ? KIND.lit : KIND.dark;
    writer.circle(i, first + i * gap, y, 16);
  }
  return LANTERNS + 1;
}

export default defineGame({
  id: 'lanterns',
  title: 'Lanterns',
  tagline: 'Remember the lanterns, all together.',
  rules: [
    'Watch the lanterns. Walk to them and light them again with A.',
    'One by one: light them in that order.',
    'All at once: any order.',
    `You share ${LIVES} lives. The pattern grows for ${ROUNDS} rounds.`,
  ],
  players: { min: 1, max: SLOTS },
  records: [{ name: 'Best round', of: 'round' }],
  controls: { stick: 'Walk', a: 'Light' },
  translations: {
    ko: {
      title: '등불',
      tagline: '다 함께 등불을 기억해요.',
      rules: [
        '등불을 잘 보고, 걸어가서 A로 다시 켜세요.',
        '하나씩 켜졌다면 그 순서대로.',
        '한꺼번에 켜졌다면 순서는 상관없어요.',
        `목숨 ${LIVES}개를 함께 써요. ${ROUNDS}라운드 동안 점점 늘어나요.`,
      ],
      controls: { stick: '걷기', a: '켜기', b: '' },
      round: '라운드',
      records: ['최고 라운드'],
    },
  },
  view: {
    width: 1600,
    height: 900,
    background: '#151029',
    kinds: KINDS,
    events: [
      { name: 'show', effect: 'flash', sound: 'choose', rumbleMs: 0 },
      { name: 'light', effect: 'ring', sound: 'pop', rumbleMs: 60 },
      { name: 'wrong', effect: 'burst', sound: 'hurt', rumbleMs: 250 },
      { name: 'good', effect: 'ring', sound: 'power', rumbleMs: 0 },
      { name: 'won', effect: 'burst', sound: 'won', rumbleMs: 0 },
      { name: 'walk', effect: 'flash', sound: 'go', rumbleMs: 0 },
    ],
    extra: ['spareShips', 'left', 'teamScore'],
    rounds: ROUNDS,
  },
  options: { botStrength: { default: 0, min: 0, max: 2 } },
  seconds: { ready: 1, roundOver: 1, matchOver: 8 },
  castAlways: true,
  border: 'bounce',
  decor: LANTERNS + 1 + LANTERNS / COLUMNS + LANTERNS + SLOTS,
  state: () => ({
    lives: 1,
    total: 1, // lanterns lit in the match
    won: 1,
    mode: 1,
    modeTicks: 1,
    tries: 1, // mistakes in this round
    wrong: 1, // the lantern of the last mistake
    step: 1, // lanterns of the pattern that are lit
    length: 1,
    pattern: LANTERNS, // all lanterns, the first `length` are lit
    lit: LANTERNS,
    near: SLOTS, // lantern + 1
    target: SLOTS,
    botTicks: SLOTS,
  }),
  world: () => ({ capacity: LANTERNS + SLOTS }),
  bots: (humans) => (humans === 0 ? DEMO_BOTS : 0),
  setUpRound,
  beginPlay({ own, humans }) {
    own.length[0] += Math.floor(Math.max(0, humans - 1) / 3); // more heads remember more
  },
  steer,
  settle,
  wins: (flow, slot) => flow.own.won[0] === 1 && flow.seated(slot),
  fillExtra({ own }, extra) {
    extra[0] = own.lives[0];
    extra[1] = own.length[0] - own.step[0];
    extra[2] = own.total[0];
  },
  decorate,
});
