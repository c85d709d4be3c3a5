/** Scripted players: what people who know a game do. */
import { NO_BODY } from '../../../app/game/frame.js';
import { BUTTON_A, BUTTON_B } from '../../../app/game/input.js';
import { CENTRE_X, CENTRE_Y } from '../../../app/games/bumper/constants.js';
import { unit } from './play.js';

/**
 * Plans the moves of a player of Bumper: stays inside, hits others outwards, braces against fast players.
 * @type {import('./play.js').Plan}
 */
export function planBumper(flow, slot) {
  const { world, body, alive, own } = flow;
  const id = body[slot];
  if (!alive[slot]) return { x: 0, y: 0, buttons: 0 };
  const x = world.x[id] - CENTRE_X;
  const y = world.y[id] - CENTRE_Y;
  const radius = own.arena[0];
  const aheadX = x + world.vx[id] * 0.5;
  const aheadY = y + world.vy[id] * 0.5;
  const danger = Math.hypot(aheadX, aheadY) > Math.max(25, radius - 70);
  let best = -Infinity;
  let buttons = 0;
  let goX = -x;
  let goY = -y;
  for (let other = 0; other < flow.slots; other++) {
    const at = body[other];
    if (other === slot || at === NO_BODY || !alive[other]) continue;
    const tx = world.x[at] + world.vx[at] * 0.25 - CENTRE_X;
    const ty = world.y[at] + world.vy[at] * 0.25 - CENTRE_Y;
    const dx = tx - x;
    const dy = ty - y;
    const distance = Math.hypot(dx, dy);
    const out = unit(tx, ty);
    const outward = (dx * out.x + dy * out.y) / (distance || 1);
    const worth = Math.hypot(tx, ty) / radius + outward - distance / 300;
    const relX = world.vx[at] - world.vx[id];
    const relY = world.vy[at] - world.vy[id];
    const closing = -(dx * relX + dy * relY) / (distance || 1);
    if (distance < 190 && closing > 420 && Math.hypot(world.vx[at], world.vy[at]) > 330) {
      buttons |= BUTTON_B;
    }
    if (worth <= best) continue;
    best = worth;
    // Attack from the inside: move to a point behind the other player, then push.
    const behind = outward > 0.5 ? 0 : 90;
    goX = tx - out.x * behind - x;
    goY = ty - out.y * behind - y;
    buttons = (buttons & BUTTON_B) | (outward > 0.6 && distance < 210 ? BUTTON_A : 0);
  }
  if (danger) return { ...unit(-aheadX, -aheadY), buttons: buttons & BUTTON_B };
  return { ...unit(goX, goY), buttons };
}

/** Of Kick-off: the middle of the goals, x of the goal that each team attacks, and reach of a player. */
const GOAL_Y = 450;
const GOALS = [1480, 120];
const TOUCH = 52;

/**
 * Plans the moves of a player of Kick-off: gets behind the ball, shoots, and dashes at opponents near the ball.
 * @type {import('./play.js').Plan}
 */
export function planKickOff({ world, body, team, own, slots }, slot) {
  const id = body[slot];
  const ball = own.ball[0];
  const x = world.x[ball] + world.vx[ball] * 0.25;
  const y = world.y[ball] + world.vy[ball] * 0.25;
  const goal = unit(GOALS[team[slot]] - x, GOAL_Y - y);
  const dx = x - world.x[id] - world.vx[id] * 0.2;
  const dy = y - world.y[id] - world.vy[id] * 0.2;
  const distance = Math.hypot(dx, dy);
  const along = (dx * goal.x + dy * goal.y) / (distance || 1); // 1: straight behind the ball
  if (along > 0.7) {
    const near = Array.from({ length: slots }, (_, other) => other).some(
      (other) =>
        body[other] !== NO_BODY &&
        team[other] !== team[slot] &&
        Math.hypot(world.x[body[other]] - x, world.y[body[other]] - y) < 1.6 * TOUCH,
    );
    const buttons = distance < 2 * TOUCH ? BUTTON_A : near && distance < 190 ? BUTTON_B : 0;
    return { ...unit(dx - goal.x * 0.5 * TOUCH, dy - goal.y * 0.5 * TOUCH), buttons };
  }
  // Around the ball, and aside while it is in the way.
  const aside = along < 0.2 ? (dx * goal.y - dy * goal.x > 0 ? 95 : -95) : 0;
  const go = unit(dx - goal.x * 90 - goal.y * aside, dy - goal.y * 90 + goal.x * aside);
  return { ...go, buttons: 0 };
}

/**
 * Plans the moves of a player of Swarm: avoids near foes, circles the field, always fires, pulses when surrounded,
 * collects stars.
 * @param {import('../../../app/game/flow.js').Flow} flow @param {number} slot with a body
 * @param {boolean} [fires]
 * @returns {import('./play.js').Move}
 */
export function planSwarm(flow, slot, fires = true) {
  const { world, body } = flow;
  const id = body[slot];
  const x = world.x[id];
  const y = world.y[id];
  const { width, height } = world;
  let goX = 0;
  let goY = 0;
  let near = 0;
  for (let other = 0; other < world.high; other++) {
    const kind = world.kind[other];
    if (world.shape[other] === 0 || kind < 2 || kind > 6) continue;
    const dx = world.x[other] + world.vx[other] * 0.3 - x;
    const dy = world.y[other] + world.vy[other] * 0.3 - y;
    const distance = Math.max(1, Math.hypot(dx, dy) - world.a[other]);
    if (kind === 6) {
      if (distance < 400) {
        goX += (dx / distance) * 1.5;
        goY += (dy / distance) * 1.5;
      }
      continue;
    }
    if (distance > 320) continue;
    const fear = 60 / (distance + 10);
    goX -= (dx / distance) * fear * fear;
    goY -= (dy / distance) * fear * fear;
    if (distance < 95) near++;
  }
  // Walls are traps, and foes gather in the middle: a ring between them is best.
  const toX = (x - width / 2) / (width / 2);
  const toY = (y - height / 2) / (height / 2);
  const off = Math.hypot(toX, toY);
  goX += -toY * 0.5 - toX * (off - 0.45) * 1.5;
  goY += toX * 0.5 - toY * (off - 0.45) * 1.5;
  const buttons = (fires ? BUTTON_A : 0) | (near >= 4 ? BUTTON_B : 0);
  return { ...unit(goX, goY), buttons };
}

/** Of Ducklings: the ponds of the first slots, and the length of a train that goes home. */
const PONDS = [
  { x: 140, y: 140 },
  { x: 1460, y: 760 },
  { x: 1460, y: 140 },
];
const TRAIN = 4;

/**
 * Plans the moves of a player of Ducklings: collects four ducklings, also those of others, and leads them home.
 * @type {import('./play.js').Plan}
 */
export function planDucklings({ world, own, body, ticksLeft }, slot) {
  const [x, y] = [world.x[body[slot]], world.y[body[slot]]];
  const isFull = own.length[slot] >= TRAIN || (own.length[slot] > 0 && ticksLeft < 400);
  let goal = { x: PONDS[slot].x - x, y: PONDS[slot].y - y };
  let best = isFull ? 0 : Infinity;
  for (let id = 0; id < own.leader.length; id++) {
    if (own.leader[id] === slot + 1 || own.safe[id] > 0) continue;
    const [dx, dy] = [world.x[id] - x, world.y[id] - y];
    const distance = Math.hypot(dx, dy) * (own.leader[id] > 0 ? 2 : 1);
    if (distance >= best) continue;
    best = distance;
    goal = { x: dx, y: dy };
  }
  return { ...unit(goal.x, goal.y), buttons: 0 };
}

/** Of Rally: samples of the track. */
const RALLY_SAMPLES = 96;

/**
 * Plans the moves of a player of Rally: drives towards the middle of the road further along.
 * @type {import('./play.js').Plan}
 */
export function planRally({ world, own, body }, slot) {
  const at = (own.progress[slot] + 5 + RALLY_SAMPLES) % RALLY_SAMPLES;
  const right = at + RALLY_SAMPLES; // the walls are the first bodies: those on the left, then those on the right
  const x = (world.x[at] + world.x[right]) / 2 - world.x[body[slot]];
  const y = (world.y[at] + world.y[right]) / 2 - world.y[body[slot]];
  return { ...unit(x, y), buttons: 0 };
}
/**
 * Makes the plan of a player of Lanterns, who walks to the next lantern and lights it.
 * @param {number} span lanterns that the player remembers, one more or less; and one more each time the pattern is
 *   shown again
 * @returns {import('./play.js').Plan}
 */
export const planLanterns = (span) => (flow, slot) => {
  const { world, own, body } = flow;
  if (own.mode[0] !== 1) return { x: 0, y: 0, buttons: 0 };
  const isOpen = (/** @type {number} */ lantern) => own.lit[lantern] === 0;
  const isKnown = own.step[0] < span + own.tries[0] + (own.pattern[0] % 3) - 1;
  const guess = (own.step[0] * 5 + flow.round * 7 + own.tries[0] * 3) % own.lit.length;
  const others = [...own.pattern.keys()].map((i) => (i + guess) % own.lit.length);
  const target = [...(isKnown ? own.pattern : others)].find(isOpen) ?? 0;
  const dx = world.x[target] - world.x[body[slot]];
  const dy = world.y[target] - world.y[body[slot]];
  const distance = Math.hypot(dx, dy);
  const { x, y } = unit(dx, dy);
  const tilt = Math.min(1, distance / 250);
  return { x: x * tilt, y: y * tilt, buttons: distance < 70 ? BUTTON_A : 0 };
};
