/** A scripted player of Swarm. */
import { BUTTON_A, BUTTON_B } from '../../app/game/input.js';
import { unit } from './harness.js';

/**
 * Creates a player who knows the game: avoids near foes, circles the field, always fires, pulses when
 * surrounded, collects stars. It observes the world ten times a second and reacts 12 ticks later.
 * @param {{delay?: number, fires?: boolean}} [options] delay: reaction time, ticks
 * @returns {import('./harness.js').Player}
 */
export function skilled({ delay = 12, fires = true } = {}) {
  /** @type {import('./harness.js').Move[]} */
  const plans = [];
  return (job, slot, tick) => {
    plans.push(
      tick % 6 === 0 ? plan(job.flow, slot, fires) : (plans.at(-1) ?? { x: 0, y: 0, buttons: 0 }),
    );
    return plans.length > delay ? plans.splice(0, plans.length - delay)[0] : plans[0];
  };
}

/** @param {import('../../app/game/flow.js').Flow} flow @param {number} slot @param {boolean} fires */
function plan(flow, slot, fires) {
  const { world, body } = flow;
  const id = body[slot];
  if (id === 0xffff) return { x: 0, y: 0, buttons: 0 };
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
