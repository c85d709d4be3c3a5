/** Swarm's bots: they avoid the densest part of the swarm, circle the centre and always fire. */
import { BUTTON_A, BUTTON_B, SHAPE } from '../../game/index.js';
import { KIND, isFoe } from './foes.js';

const FEAR_RANGE = 190; // distance within which a bot avoids a foe
const CROWD = 6; // number of foes within CROWD_RANGE that triggers the pulse
const CROWD_RANGE = 120;

/** Sets the controls of a bot. @param {import('../../game/index.js').Flow} flow @param {number} slot with a ship */
export function steerBot(flow, slot) {
  const { world, own, body } = flow;
  const id = body[slot];
  if (--own.botTicks[slot] > 0) {
    flow.command(slot, flow.stickX[slot], flow.stickY[slot], BUTTON_A);
    return;
  }
  own.botTicks[slot] = 5 + world.randomInt(5);
  const x = world.x[id];
  const y = world.y[id];
  const toX = (world.width / 2 - x) / world.width;
  const toY = (world.height / 2 - y) / world.height;
  // Towards the centre, and around it.
  let goX = toX * 1.2 - toY;
  let goY = toY * 1.2 + toX;
  let crowd = 0;
  for (let other = 0; other < world.high; other++) {
    const kind = world.kind[other];
    if (world.shape[other] === SHAPE.none || !(isFoe(kind) || kind === KIND.star)) continue;
    const dx = world.x[other] - x;
    const dy = world.y[other] - y;
    const square = dx * dx + dy * dy;
    if (kind === KIND.star) {
      if (square < 300 * 300) {
        goX += dx / 200;
        goY += dy / 200;
      }
      continue;
    }
    const range = FEAR_RANGE + world.a[other];
    if (square > range * range) continue;
    const distance = Math.sqrt(square) + 1;
    const fear = (1 - distance / range) * 1.5;
    goX -= (dx / distance) * fear;
    goY -= (dy / distance) * fear;
    if (distance < CROWD_RANGE + world.a[other]) crowd++;
  }
  const length = Math.sqrt(goX * goX + goY * goY) || 1;
  const pulse = crowd >= CROWD && own.cool[slot] === 0 ? BUTTON_B : 0;
  flow.command(slot, goX / length, goY / length, BUTTON_A | pulse);
}
