/** Features of the phone: full screen, wake lock, vibration, where they exist. */

/** @param {number} ms */
export function rumble(ms) {
  // Not there on iOS; elsewhere it may refuse until the page was touched.
  navigator.vibrate?.(Math.min(1000, Math.max(0, ms)));
}

/**
 * Keeps the display on while wanted. Browsers take the lock back each time the page is hidden, and
 * have it only on https and localhost; a phone in play is touched all the time anyway.
 */
export class Awake {
  #wanted = false;
  /** @type {{release: () => Promise<void>, released: boolean} | null} */
  #lock = null;

  constructor() {
    document.addEventListener('visibilitychange', () => this.#take());
  }

  /** @param {boolean} wanted */
  set(wanted) {
    this.#wanted = wanted;
    if (wanted) this.#take();
    else {
      this.#lock?.release().catch(() => {});
      this.#lock = null;
    }
  }

  async #take() {
    if (!this.#wanted || document.visibilityState !== 'visible' || !('wakeLock' in navigator))
      return;
    if (this.#lock && !this.#lock.released) return;
    try {
      this.#lock = await navigator.wakeLock.request('screen');
    } catch {
      this.#lock = null; // low battery, or not allowed: the next visit asks again
    }
  }
}

/** Shows each fullscreen button where the browser has fullscreen (iOS phones have not). */
export function offerFullscreen() {
  const page = document.documentElement;
  const can = document.fullscreenEnabled && typeof page.requestFullscreen === 'function';
  for (const button of document.querySelectorAll('.fullscreen')) {
    if (!(button instanceof HTMLElement)) continue;
    button.hidden = !can;
    button.onclick = () => {
      const change = document.fullscreenElement
        ? document.exitFullscreen()
        : page.requestFullscreen({ navigationUI: 'hide' });
      change.catch(() => {});
    };
  }
}

/** No zoom by double tap or pinch, no menu on a long press: both thumbs are busy playing. */
export function calmTouch() {
  for (const type of ['gesturestart', 'contextmenu', 'dblclick']) {
    document.addEventListener(type, (event) => {
      if (!(event.target instanceof HTMLInputElement)) event.preventDefault();
    });
  }
}
