/**
 * A TV's remote: arrow keys move the focus to the nearest thing in that direction, Enter presses
 * it (the browser does that by itself for buttons), Back goes back.
 */

/** Keys that mean Back: keyboards, Android TV, Tizen (10009), webOS (461). */
const BACK_KEYS = new Set(['Escape', 'GoBack', 'BrowserBack', 'Backspace']);
const BACK_CODES = new Set([10009, 461]);
/** How much a step aside weighs against a step in the wanted direction. */
const ASIDE_WEIGHT = 2.5;

/** @type {Record<string, [number, number]>} */
const ARROWS = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** @typedef {{left: number, top: number, right: number, bottom: number}} Box */

/**
 * @param {Box} from
 * @param {Box[]} boxes
 * @param {[number, number]} direction
 * @returns {number} index of the box to go to, -1 for none
 */
export function nearest(from, boxes, [dx, dy]) {
  let best = -1;
  let bestCost = Infinity;
  boxes.forEach((box, i) => {
    const x = (box.left + box.right - from.left - from.right) / 2;
    const y = (box.top + box.bottom - from.top - from.bottom) / 2;
    const ahead = x * dx + y * dy;
    // It has to begin beyond the middle of where we are, or it is beside us, not ahead.
    const edge =
      dx !== 0
        ? dx * ((dx > 0 ? box.left : box.right) - (from.left + from.right) / 2)
        : dy * ((dy > 0 ? box.top : box.bottom) - (from.top + from.bottom) / 2);
    if (ahead <= 0 || edge < 0) return;
    const gapX = Math.max(0, box.left - from.right, from.left - box.right);
    const gapY = Math.max(0, box.top - from.bottom, from.top - box.bottom);
    const aside = dx !== 0 ? gapY : gapX;
    const cost = ahead + ASIDE_WEIGHT * aside + 0.2 * Math.abs(dx !== 0 ? y : x);
    if (cost < bestCost) {
      bestCost = cost;
      best = i;
    }
  });
  return best;
}

/**
 * @param {object} options
 * @param {() => HTMLElement} options.scope where the focus may go now
 * @param {() => void} options.onBack
 * @param {() => void} [options.onMove]
 */
export function listenToRemote({ scope, onBack, onMove }) {
  document.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (BACK_KEYS.has(event.key) || BACK_CODES.has(event.keyCode)) {
      event.preventDefault();
      return onBack();
    }
    const direction = ARROWS[event.key];
    if (!direction) return;
    event.preventDefault();
    const items = [...scope().querySelectorAll('[data-nav]')].filter(
      (item) => item instanceof HTMLElement && item.offsetParent !== null && !isDisabled(item),
    );
    if (items.length === 0) return;
    const current = document.activeElement;
    const others = items.filter((item) => item !== current);
    const from = items.includes(/** @type {Element} */ (current)) ? current : null;
    const boxes = others.map((item) => item.getBoundingClientRect());
    const next = from ? others[nearest(from.getBoundingClientRect(), boxes, direction)] : items[0];
    if (!(next instanceof HTMLElement)) return;
    next.focus({ preventScroll: true });
    next.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    onMove?.();
  });
}

/** @param {Element} item */
function isDisabled(item) {
  return item instanceof HTMLButtonElement && item.disabled;
}
