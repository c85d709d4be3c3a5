/** Keyboards and gamepads at the screen: what their keys and buttons mean. */
import { BUTTON_A, BUTTON_B } from '../../game/input.js';
import { keyAxes, stickAxes } from '../lib/stick.js';

/** Deflection from which a stick counts as an arrow key in the lobby. */
const ARROW_AXIS = 64;

/** Two players can share a keyboard. @type {readonly import('../lib/stick.js').Keyboard[]} */
export const KEYBOARDS = Object.freeze([
  {
    left: ['ArrowLeft'],
    right: ['ArrowRight'],
    up: ['ArrowUp'],
    down: ['ArrowDown'],
    a: ['Enter', 'NumpadEnter'],
    b: ['Slash', 'Period'],
  },
  {
    left: ['KeyA'],
    right: ['KeyD'],
    up: ['KeyW'],
    down: ['KeyS'],
    a: ['Space'],
    b: ['KeyF', 'KeyQ'],
  },
]);

/**
 * Returns the state of a gamepad. Its buttons are those of the standard mapping of the W3C: A, B, X, Y, shoulders,
 * triggers, Select, Start, sticks, arrows. A, X and the triggers and shoulders on the right are A.
 * @param {Pick<Gamepad, 'axes' | 'buttons'>} gamepad
 * @returns axes -127..127; buttons: held buttons of the game; arrow: what the stick means in the lobby
 */
export function readGamepad({ axes, buttons }) {
  const isHeld = (/** @type {number} */ i) => buttons[i]?.pressed === true;
  const arrows = keyAxes(isHeld(14), isHeld(15), isHeld(12), isHeld(13));
  const stick = stickAxes(axes[0] ?? 0, axes[1] ?? 0, 1);
  const { x, y } = arrows.x !== 0 || arrows.y !== 0 ? arrows : stick;
  const a = [0, 2, 5, 7].some(isHeld);
  const b = [1, 3, 4, 6].some(isHeld);
  return {
    x,
    y,
    a,
    b,
    menu: isHeld(9),
    leave: isHeld(8),
    buttons: (a ? BUTTON_A : 0) | (b ? BUTTON_B : 0),
    arrow: arrowOf(x, y),
  };
}

/** @param {number} x @param {number} y @returns {import('../lib/keys.js').Direction | undefined} */
function arrowOf(x, y) {
  if (Math.max(Math.abs(x), Math.abs(y)) < ARROW_AXIS) return undefined;
  if (Math.abs(x) > Math.abs(y)) return x > 0 ? 'right' : 'left';
  return y > 0 ? 'down' : 'up';
}
