/**
 * Handles a TV's remote. Arrow keys move the focus to the nearest element in their direction. The browser handles OK
 * (Enter) on buttons.
 */
import { registerRemoteKeys, remoteKey } from '../lib/keys.js';

/** Costs of a gap and of a distance to the side, relative to the same distance in the direction of the key. */
const GAP_WEIGHT = 2.5;
const ASIDE_WEIGHT = 0.2;

/** @type {Readonly<Record<import('../lib/keys.js').Direction, [number, number]>>} */
const DIRECTIONS = Object.freeze({ left: [-1, 0], right: [1, 0], up: [0, -1], down: [0, 1] });

/** Sides of a box. */
const ACROSS = /** @type {const} */ (['left', 'right']);
const DOWN = /** @type {const} */ (['top', 'bottom']);

/** @typedef {{left: number, top: number, right: number, bottom: number}} Box */

/**
 * Finds the box to move the focus to.
 * @param {Box} from
 * @param {Box[]} boxes
 * @param {[number, number]} direction
 * @returns {number} index of the box, -1 for none
 */
export function findNearest(from, boxes, direction) {
  const costs = boxes.map((box) => costOf(from, box, direction));
  const least = Math.min(...costs);
  return least < Infinity ? costs.indexOf(least) : -1;
}

/**
 * Returns the cost of moving from one box to another.
 * @param {Box} from @param {Box} to @param {[number, number]} direction
 * @returns {number} Infinity if it is not ahead
 */
function costOf(from, to, [dx, dy]) {
  const [[start, end], [low, high]] = dx !== 0 ? [ACROSS, DOWN] : [DOWN, ACROSS];
  const sign = dx + dy;
  const centre = (sign * (from[start] + from[end])) / 2;
  const ahead = (sign * (to[start] + to[end])) / 2 - centre;
  // A box that starts before the centre of the current one is beside it, not ahead.
  const near = sign > 0 ? to[start] : -to[end];
  if (ahead <= 0 || near < centre) return Infinity;
  const gap = Math.max(0, to[low] - from[high], from[low] - to[high]);
  const aside = Math.abs(to[low] + to[high] - from[low] - from[high]) / 2;
  return ahead + GAP_WEIGHT * gap + ASIDE_WEIGHT * aside;
}

/**
 * Listens to the keys of a remote.
 * @param {object} options
 * @param {() => HTMLElement} options.scope returns the element within which the focus may move
 * @param {Partial<Record<import('../lib/keys.js').RemoteKey, () => unknown>>} options.actions those of arrow keys are
 *   done where there is nothing to focus in their direction
 * @param {() => void} [options.onMove]
 * @returns {(key: import('../lib/keys.js').RemoteKey | 'ok') => void} handles a key of another device
 */
export function listenToRemote({ scope, actions, onMove }) {
  registerRemoteKeys();
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const key = remoteKey(event);
    if (!key) return;
    event.preventDefault();
    if (!event.repeat || key in DIRECTIONS) press(key);
  });

  /** @param {import('../lib/keys.js').RemoteKey | 'ok'} key */
  function press(key) {
    if (key === 'ok') {
      const { activeElement: item } = document;
      if (item instanceof HTMLElement && scope().contains(item)) item.click();
      return;
    }
    const direction = DIRECTIONS[/** @type {import('../lib/keys.js').Direction} */ (key)];
    if (direction && moveFocus(scope(), direction)) onMove?.();
    else actions[key]?.();
  }
  return press;
}

/** @param {HTMLElement} scope @param {[number, number]} direction @returns {boolean} whether it has moved */
function moveFocus(scope, direction) {
  const items = [...scope.querySelectorAll('[data-nav]:not(:disabled)')].filter(
    (item) => item instanceof HTMLElement && item.offsetParent !== null,
  );
  const current = document.activeElement;
  const others = items.filter((item) => item !== current);
  const from = others.length < items.length ? current : null;
  const boxes = others.map((item) => item.getBoundingClientRect());
  const next = from
    ? others[findNearest(from.getBoundingClientRect(), boxes, direction)]
    : items[0];
  if (!(next instanceof HTMLElement)) return false;
  next.focus({ preventScroll: true });
  next.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  return true;
}
