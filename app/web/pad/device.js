/** Features of the phone, as far as the browser supports them: fullscreen, vibration, no zooming. */
import { byId } from '../lib/dom.js';

/** Time that browsers need to apply a changed viewport. */
const ZOOM_RESET_MS = 300;

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
