/** Features of the phone, as far as the browser supports them: fullscreen, vibration, no zooming; a button to hold. */
import { byId, listen } from '../lib/dom.js';

/** Time that browsers need to apply a changed viewport. */
const ZOOM_RESET_MS = 300;
const HOLD_MS = 800;

/** Vibrates. @param {number} ms */
export function rumble(ms) {
  // Not available on iOS. Other browsers ignore it until the page has been touched.
  navigator.vibrate?.(Math.min(1000, Math.max(0, ms)));
}

/** Shows the fullscreen button if the browser supports fullscreen (iPhones do not). @param {HTMLElement} button */
export function enableFullscreen(button) {
  const page = document.documentElement;
  button.hidden = !document.fullscreenEnabled || typeof page.requestFullscreen !== 'function';
  button.onclick = () => {
    const change = document.fullscreenElement
      ? document.exitFullscreen()
      : page.requestFullscreen({ navigationUI: 'hide' });
    change.catch(() => {});
  };
}

/**
 * Disables the zoom by a double tap, and the menu of a long press, which both happen during play. Zooming with two
 * fingers is disabled during play only.
 */
export function disableGestures() {
  for (const type of ['contextmenu', 'dblclick']) {
    document.addEventListener(type, (event) => {
      if (!(event.target instanceof HTMLInputElement)) event.preventDefault();
    });
  }
  byId('play').addEventListener('gesturestart', (event) => event.preventDefault()); // Safari
}

/** Sets a zoomed page back to its size, because the controls of a match cannot be zoomed. */
export function resetZoom() {
  if (!((globalThis.visualViewport?.scale ?? 1) > 1)) return;
  const viewport = document.querySelector('meta[name=viewport]');
  const content = viewport?.getAttribute('content') ?? '';
  viewport?.setAttribute('content', `${content}, maximum-scale=1`);
  setTimeout(() => viewport?.setAttribute('content', content), ZOOM_RESET_MS);
}

/**
 * Makes a button fire after it has been held, so that an accidental touch does not end a game.
 * @param {HTMLElement} button
 * @param {object} actions
 * @param {() => void} actions.onHeld called when it has been held long enough
 * @param {() => void} actions.onTap called when it was released too early
 * @param {() => boolean} [actions.active] returns whether the Escape key acts as this button
 */
export function holdButton(button, { onHeld, onTap, active = () => false }) {
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
