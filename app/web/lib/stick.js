import { BUTTON_A, BUTTON_B, MAX_AXIS } from '../../game/input.js';

/**
 * Computes the input of a joystick and of keys.
 *
 * @typedef {Readonly<Record<'left' | 'right' | 'up' | 'down' | 'a' | 'b', readonly string[]>>} Keyboard codes of the
 *   keys of one player; a remote's keys have their names instead
 */

/** Dead zone, part of the radius, because a resting thumb is not still. */
export const DEAD_ZONE = 0.14;

/**
 * Computes the axes from the position of a thumb.
 * @param {number} dx px right of the stick's centre @param {number} dy px below it
 * @param {number} radius px for full deflection, > 0
 * @returns {{x: number, y: number}} integers, length 0..127, so a diagonal is not faster
 */
export function stickAxes(dx, dy, radius) {
  const length = Math.hypot(dx, dy);
  const share = Math.min(1, length / radius);
  if (!(share > DEAD_ZONE)) return { x: 0, y: 0 };
  const reach = (MAX_AXIS * (share - DEAD_ZONE)) / (1 - DEAD_ZONE) / length;
  return { x: Math.round(dx * reach) || 0, y: Math.round(dy * reach) || 0 };
}

/**
 * Moves the stick's centre towards a thumb that is beyond the rim, so that moving back has an effect at
 * once.
 * @param {{x: number, y: number}} centre px, changed in place
 * @param {number} x thumb, px @param {number} y thumb, px @param {number} radius px
 */
export function dragCentre(centre, x, y, radius) {
  const dx = x - centre.x;
  const dy = y - centre.y;
  const over = Math.hypot(dx, dy) / radius;
  if (over <= 1) return;
  centre.x = x - dx / over;
  centre.y = y - dy / over;
}

/** Tells whether a key belongs to a keyboard. @param {Keyboard} keyboard @param {string} code */
export const hasKey = (keyboard, code) =>
  Object.values(keyboard).some((codes) => codes.includes(code));

/**
 * Returns the input of a keyboard's player.
 * @param {Keyboard} keyboard @param {ReadonlySet<string>} held codes of the held keys
 * @returns {{x: number, y: number, buttons: number}}
 */
export function readKeyboard(keyboard, held) {
  const isHeld = (/** @type {keyof Keyboard} */ name) =>
    keyboard[name].some((code) => held.has(code));
  const axes = keyAxes(isHeld('left'), isHeld('right'), isHeld('up'), isHeld('down'));
  return { ...axes, buttons: (isHeld('a') ? BUTTON_A : 0) | (isHeld('b') ? BUTTON_B : 0) };
}

/**
 * Computes the axes from held arrow keys.
 * @param {boolean} left @param {boolean} right @param {boolean} up @param {boolean} down
 * @returns {{x: number, y: number}} integers, length 0 or 127
 */
export function keyAxes(left, right, up, down) {
  const x = Number(right) - Number(left);
  const y = Number(down) - Number(up);
  const full = x !== 0 && y !== 0 ? Math.round(MAX_AXIS * Math.SQRT1_2) : MAX_AXIS;
  return { x: x * full, y: y * full };
}
