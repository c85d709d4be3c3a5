/**
 * The margin around the picture, for televisions that cut off its edges (overscan): the parameter ?margin= or the
 * button in the lobby sets it, and the browser remembers it. The pointer, and the buttons for a mouse or a touch
 * screen, which are shown only while the pointer is used.
 */
import { byId, loadItem, saveItem, setText } from '../lib/dom.js';
import { text } from '../lib/language.js';

const ITEM = 'pitv.screen.margin';
const STEPS = Object.freeze([0, 2, 4, 6]);
const MAX_PERCENT = 10;
const HIDE_MS = 3000;
const POINTER_BUTTONS = Object.freeze(['open-menu', 'watch-replay']);

/**
 * Reads a margin.
 * @param {string | null} value
 * @returns {number | undefined} percent of the picture's width or height at each edge, 0..10; undefined if it is none
 */
export function parseMargin(value) {
  const percent = value === null || value.trim() === '' ? NaN : Number(value);
  return percent >= 0 && percent <= MAX_PERCENT ? percent : undefined;
}

/** Returns the margin after a press of the button. @param {number} percent @returns {number} */
export const nextMargin = (percent) => STEPS.find((step) => step > percent) ?? STEPS[0];

/** Applies the margin, and sets up its button. */
export function setUpMargin() {
  const wanted = parseMargin(new URLSearchParams(location.search).get('margin'));
  let percent = wanted ?? parseMargin(loadItem(ITEM)) ?? 0;
  const button = byId('lobby-margin');
  const apply = () => {
    const root = document.documentElement;
    root.style.setProperty('--margin', String(percent));
    if (percent > 0) root.setAttribute('data-margin', '');
    else root.removeAttribute('data-margin');
    setText(button, text('screen.margin', { percent }));
    dispatchEvent(new Event('resize'));
  };
  const save = () => saveItem(ITEM, percent === 0 ? null : String(percent));
  if (wanted !== undefined) save();
  button.onclick = () => {
    percent = nextMargin(percent);
    save();
    apply();
  };
  apply();
}

/** Hides the pointer and its buttons until the pointer moves, and again after HIDE_MS and at the press of a key. */
export function hideIdlePointer() {
  let timer = /** @type {ReturnType<typeof setTimeout> | undefined} */ (undefined);
  let place = '';
  /** @param {boolean} hidden */
  const set = (hidden) => {
    clearTimeout(timer);
    document.documentElement.setAttribute('data-pointer', hidden ? 'hidden' : 'shown');
    for (const id of POINTER_BUTTONS) byId(id).hidden = hidden;
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
