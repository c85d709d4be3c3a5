/** A button that has to be held, so that an accidental touch does not end a game. */
import { listen } from '../lib/dom.js';

const HOLD_MS = 800;

/**
 * Makes a button fire after it has been held.
 * @param {HTMLElement} button
 * @param {object} actions
 * @param {() => void} actions.onHeld called when it has been held long enough
 * @param {() => void} actions.onTap called when it was released too early
 * @param {() => boolean} actions.active returns whether the Escape key acts as this button
 */
export function holdButton(button, { onHeld, onTap, active }) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  button.style.setProperty('--hold-ms', `${HOLD_MS}ms`);
  const begin = () => {
    if (timer !== undefined) return;
    button.setAttribute('data-held', 'true');
    timer = setTimeout(() => {
      end();
      onHeld();
    }, HOLD_MS);
  };
  const end = () => {
    if (timer === undefined) return false;
    clearTimeout(timer);
    timer = undefined;
    button.setAttribute('data-held', 'false');
    return true;
  };
  const release = () => end() && onTap();
  listen(button, { down: begin, up: release });
  for (const [type, act] of Object.entries({ keydown: begin, keyup: release })) {
    document.addEventListener(type, (event) => {
      if (active() && event instanceof KeyboardEvent && event.key === 'Escape') act();
    });
  }
  // Screen readers activate a button with a click only.
  button.addEventListener('click', (event) => {
    if (event.detail === 0) onHeld();
  });
}
