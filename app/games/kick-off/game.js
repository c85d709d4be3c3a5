// @ts-check
/**
 * Kick-off: football for two teams of bumper balls. A team that is behind runs a little faster, one that is ahead a
 * little slower (players.js). A bot that stands in for a person is as strong as the match needs (bots.js).
 */
import { NO_BODY, defineGame } from 'pitv/game';
import { steerBot } from './bots.js';
import { DECOR, EVENTS, KINDS, MODE, PITCH_BODIES, SLOTS, drawPitch, keepInside } from './pitch.js';
import { applyContacts, drivePlayer, fieldPlayers, limitSpeed } from './players.js';
import { TARGET_GOALS, blowWhistle, judge, setUpMatch, slowBall } from './rules.js';

const MIN_PLAYERS = 4; // bots are added up to this number

/** @typedef {import('pitv/game').Flow} Flow */

/** Before each step of the physics: who has come and gone, and the controls. @param {Flow} flow */
function steer(flow) {
  fieldPlayers(flow);
  slowBall(flow);
  const live = flow.playing && flow.own.mode[0] === MODE.live;
  for (let i = 0; i < SLOTS; i++) {
    const slot = flow.tick % 2 === 0 ? i : SLOTS - 1 - i; // so that no team always kicks first
    if (flow.body[slot] === NO_BODY) continue;
    if (flow.bot[slot] === 1) {
      if (live) steerBot(flow, slot);
      else flow.command(slot, 0, 0, 0);
    }
    drivePlayer(flow, slot);
  }
}

/** After each step: contacts, then the rules. @param {Flow} flow */
function settle(flow) {
  const { world, own, body } = flow;
  const half = own.goalHalf[0];
  applyContacts(flow);
  limitSpeed(world, own.ball[0]);
  keepInside(world, own.ball[0], half);
  for (let slot = 0; slot < SLOTS; slot++) {
    if (body[slot] === NO_BODY) continue;
    limitSpeed(world, body[slot]);
    keepInside(world, body[slot], half);
  }
  if (flow.playing) judge(flow);
}

export default defineGame({
  id: 'kick-off',
  title: 'Kick-off',
  tagline: 'Football with bumper balls.',
  rules: [
    `Two teams, one ball. Most goals in two minutes win, or the first ${TARGET_GOALS}.`,
    'Kick when you touch the ball. The stick aims.',
    'Dash to knock others off the ball.',
    'A draw? Golden goal: the goals grow until somebody scores.',
  ],
  players: { min: 1, max: SLOTS },
  teams: [
    { name: 'Tigers', color: 'orange' },
    { name: 'Sharks', color: 'blue' },
  ],
  records: [
    { name: 'Fastest goal', of: 'time', from: 'goal' },
    { name: 'Most goals', of: 'score' },
  ],
  controls: { stick: 'Run', a: 'Kick', b: 'Dash' },
  translations: {
    ko: {
      title: '킥오프',
      tagline: '범퍼 공으로 하는 축구.',
      rules: [
        `두 팀, 공 하나. 2분 동안 더 많이, 또는 먼저 ${TARGET_GOALS}골을 넣으면 승리.`,
        '공에 닿으면 차세요. 스틱으로 방향을 정해요.',
        '상대에게 돌진하면 공에서 밀어낼 수 있어요.',
        '비기면 골든골: 누가 넣을 때까지 골대가 커져요.',
      ],
      controls: { stick: '달리기', a: '슛', b: '돌진' },
      round: '',
      teams: ['호랑이', '상어'],
      records: ['가장 빠른 골', '최다 골'],
    },
  },
  view: {
    width: 1600,
    height: 900,
    background: '#0b2a1b',
    kinds: KINDS,
    events: EVENTS,
    extra: [],
    round: '',
  },
  options: { botStrength: { default: 0, min: 0, max: 2 } },
  seconds: { ready: 3, roundOver: 4, matchOver: 8 },
  castAlways: true,
  decor: DECOR,
  state: () => ({
    ball: 1, // its id
    mode: 1,
    modeTicks: 1,
    clock: 1, // ticks left, below 0 during the golden goal
    golden: 1,
    goalHalf: 1,
    kicker: 1, // the team that kicks off
    touch: 2, // by team: the slot that touched the ball last, and when
    touchTick: 2,
    stillX: 1,
    stillY: 1,
    stillTicks: 1,
    kick: SLOTS, // ticks for which a press of the button still counts
    kickCool: SLOTS,
    dashCool: SLOTS,
    stun: SLOTS,
    botTicks: SLOTS,
    aim: SLOTS, // the corner of the goal that a bot aims at
  }),
  world: () => ({ capacity: PITCH_BODIES + 1 + SLOTS, maxContacts: 1024 }),
  /** Four players at least, and an even number. */
  bots: (humans) => (humans < MIN_PLAYERS ? MIN_PLAYERS - humans : humans % 2),
  setUpRound: setUpMatch,
  beginPlay: blowWhistle,
  steer,
  settle,
  decorate: (flow, writer) => drawPitch(writer, flow.own.goalHalf[0]),
});
