/**
 * The margin around the picture, for televisions that cut off its edges (overscan). The parameter ?margin= or the
 * button in the lobby sets it; the browser remembers it.
 */
import { byId, loadItem, saveItem, setText } from '../lib/dom.js';
import { text } from '../lib/language.js';

const ITEM = 'pitv.screen.margin';
const STEPS = Object.freeze([0, 2, 4, 6]);
const MAX_PERCENT = 10;

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
