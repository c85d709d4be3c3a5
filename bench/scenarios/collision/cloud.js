/**
 * The bodies of the collision scenario: n equal circles, so many in a square that about as many
 * pairs overlap as there are bodies. They move by the same operations as a World's do, so that
 * every variant meets the same positions in the same frame.
 */
import { randomWord, seedRandom } from '../../../app/game/rng.js';
import { STEP_SECONDS } from '../../../app/game/world.js';

export const RADIUS = 2;
/** A body moves up to a quarter of its width a frame. */
const MAX_SPEED = 60;

/** @typedef {ReturnType<typeof makeCloud>} Cloud */

/** @param {number} n bodies @param {number} seed */
export function makeCloud(n, seed) {
  // n bodies a square unit of density d have n d pi (2r)^2 / 2 pairs; that shall be n.
  const side = Math.sqrt((n * Math.PI * 4 * RADIUS * RADIUS) / 2);
  const words = new Uint32Array(4);
  seedRandom(words, 0, seed);
  const random = () => randomWord(words, 0) / 4294967296;
  const place = () => RADIUS + random() * (side - 2 * RADIUS);
  const speed = () => (random() * 2 - 1) * MAX_SPEED;
  const x = Float64Array.from({ length: n }, place);
  const y = Float64Array.from({ length: n }, place);
  const vx = Float64Array.from({ length: n }, speed);
  const vy = Float64Array.from({ length: n }, speed);

  /** One frame; the border throws the bodies back. */
  function move() {
    const most = side - RADIUS;
    for (let i = 0; i < n; i++) {
      x[i] += vx[i] * STEP_SECONDS;
      y[i] += vy[i] * STEP_SECONDS;
      if (x[i] < RADIUS) {
        x[i] = RADIUS;
        if (vx[i] < 0) vx[i] = -vx[i];
      } else if (x[i] > most) {
        x[i] = most;
        if (vx[i] > 0) vx[i] = -vx[i];
      }
      if (y[i] < RADIUS) {
        y[i] = RADIUS;
        if (vy[i] < 0) vy[i] = -vy[i];
      } else if (y[i] > most) {
        y[i] = most;
        if (vy[i] > 0) vy[i] = -vy[i];
      }
    }
  }

  return { n, side, radius: RADIUS, x, y, vx, vy, move };
}
