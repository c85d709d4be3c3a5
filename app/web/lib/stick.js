import { AXIS_MAX } from './input.js';

/** The joystick's sums: from a thumb's way to two axes. */

/** Share of the radius in which nothing happens: a resting thumb trembles. */
export const DEAD_ZONE = 0.14;

/**
 * @param {number} dx px right of the stick's middle @param {number} dy px below it
 * @param {number} radius px for full deflection, > 0
 * @returns {{x: number, y: number}} integers, length 0..127, so a diagonal is not faster
 */
export function stickAxes(dx, dy, radius) {
  const length = Math.hypot(dx, dy);
  const share = Math.min(1, length / radius);
  if (!(share > DEAD_ZONE)) return { x: 0, y: 0 };
  const reach = (AXIS_MAX * (share - DEAD_ZONE)) / (1 - DEAD_ZONE) / length;
  return { x: Math.round(dx * reach) || 0, y: Math.round(dy * reach) || 0 };
}

/**
 * A thumb that wanders beyond the rim drags the stick's middle along, so that turning back answers
 * at once.
 * @param {{x: number, y: number}} middle px, changed in place
 * @param {number} x thumb, px @param {number} y thumb, px @param {number} radius px
 */
export function dragMiddle(middle, x, y, radius) {
  const dx = x - middle.x;
  const dy = y - middle.y;
  const over = Math.hypot(dx, dy) / radius;
  if (over <= 1) return;
  middle.x = x - dx / over;
  middle.y = y - dy / over;
}

/**
 * @param {{left: boolean, right: boolean, up: boolean, down: boolean}} keys
 * @returns {{x: number, y: number}} integers, length 0 or 127
 */
export function keyAxes({ left, right, up, down }) {
  const x = Number(right) - Number(left);
  const y = Number(down) - Number(up);
  const full = x !== 0 && y !== 0 ? Math.round(AXIS_MAX * Math.SQRT1_2) : AXIS_MAX;
  return { x: x * full, y: y * full };
}
