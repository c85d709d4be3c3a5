/** A scripted player of Swarm. */
import { BUTTON_A, BUTTON_B } from '../../app/game/input.js';
import { GOOD, scripted, unit } from '../../bench/scenarios/bots/play.js';

/**
 * Creates a player who knows the game: avoids near foes, circles the field, always fires, pulses when surrounded,
 * collects stars.
 * @param {{delay?: number, fires?: boolean}} [options] delay: reaction time, ticks
 */
export const skilled = ({ delay = GOOD.delay, fires = true } = {}) =>
  scripted((flow, slot) => plan(flow, slot, fires), { ...GOOD, delay });

/** @param {import('../../app/game/flow.js').Flow} flow @param {number} slot @param {boolean} fires */
function plan(flow, slot, fires) {
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
