/** Shows the pointer, and the buttons for a mouse or a touch screen, only while the pointer is used. */
import { byId } from '../lib/dom.js';

const HIDE_MS = 3000;

/**
 * Hides the pointer and the buttons until the pointer moves, and again after HIDE_MS and at the press of a key.
 * @param {string[]} buttons ids
 */
export function hideIdlePointer(buttons) {
  let timer = /** @type {ReturnType<typeof setTimeout> | undefined} */ (undefined);
  let place = '';
  /** @param {boolean} hidden */
  const set = (hidden) => {
    clearTimeout(timer);
    document.documentElement.setAttribute('data-pointer', hidden ? 'hidden' : 'shown');
    for (const id of buttons) byId(id).hidden = hidden;
    if (!hidden) timer = setTimeout(() => set(true), HIDE_MS);
  };
  document.addEventListener('pointermove', (event) => {
    // Browsers also report a pointer that rests while the page moves below it.
    const now = `${event.screenX},${event.screenY}`;
    if (now !== place) set(false);
    place = now;
  });
  document.addEventListener('pointerdown', () => set(false));
  document.addEventListener('keydown', () => set(true));
  timer = setTimeout(() => set(true), HIDE_MS);
}
