/** Keeps the display on. */
import { h } from '../lib/dom.js';
import { AWAKE_VIDEO } from './awake-video.js';

/**
 * Position in the video from which it starts again. Some browsers let the display sleep when a video loops by itself.
 */
const REPEAT_FROM_SECONDS = 3;

/** The wake lock of browsers, which they have on HTTPS and localhost only. They release it when the page is hidden. */
class NativeWakeLock {
  #wanted = false;
  /** @type {{release: () => Promise<void>, released: boolean} | null} */
  #lock = null;

  constructor() {
    document.addEventListener('visibilitychange', () => this.#acquire());
  }

  /** Acquires or releases the lock. @param {boolean} wanted */
  set(wanted) {
    this.#wanted = wanted;
    if (wanted) this.#acquire();
    else {
      this.#lock?.release().catch(() => {});
      this.#lock = null;
    }
  }

  async #acquire() {
    if (!this.#wanted || document.visibilityState !== 'visible') return;
    if (this.#lock && !this.#lock.released) return;
    try {
      this.#lock = await navigator.wakeLock.request('screen');
    } catch {
      this.#lock = null; // low battery or not allowed; tried again when the page is shown
    }
  }
}

/** A silent video that plays as long as the display has to be on, for phones on plain HTTP. */
class VideoWakeLock {
  #wanted = false;
  #allowed = false;
  #video = h('video', {
    src: AWAKE_VIDEO,
    class: 'awake',
    playsInline: true,
    tabIndex: -1,
    'aria-hidden': 'true',
  });

  constructor() {
    const video = this.#video;
    video.addEventListener('timeupdate', () => {
      if (video.currentTime > REPEAT_FROM_SECONDS) video.currentTime = 0;
    });
    video.addEventListener('ended', () => this.#update());
    // Browsers allow sound only after a touch, Safari only if it has begun in one. Later starts need none.
    document.addEventListener('touchend', () => this.#onTouch(), { capture: true });
    document.addEventListener('visibilitychange', () => this.#update());
    document.body.append(video);
  }

  #onTouch() {
    if (this.#allowed && !this.#wanted) return;
    this.#video
      .play()
      .then(() => {
        this.#allowed = true;
        this.#update();
      })
      .catch(() => {}); // tried again at the next touch
  }

  /** Plays or pauses the video. @param {boolean} wanted */
  set(wanted) {
    this.#wanted = wanted;
    this.#update();
  }

  #update() {
    const video = this.#video;
    if (!this.#wanted || document.visibilityState !== 'visible') video.pause();
    else if (video.paused) video.play().catch(() => {}); // not allowed before a touch
  }
}

/**
 * Keeps the display on: in the lobby and in matches where the browser has a wake lock, otherwise by a video during
 * matches, on devices with a touch screen.
 */
export class ScreenWakeLock {
  #native = 'wakeLock' in navigator ? new NativeWakeLock() : null;
  #video = !this.#native && matchMedia('(pointer: coarse)').matches ? new VideoWakeLock() : null;

  /** @param {'off' | 'lobby' | 'match'} state */
  set(state) {
    this.#native?.set(state !== 'off');
    this.#video?.set(state === 'match');
  }
}
