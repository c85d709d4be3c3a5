/** Keeps the display on. */
import { h } from '../lib/dom.js';
import { AWAKE_VIDEO } from './awake-video.js';

/**
 * Position in the video from which it starts again. Some browsers let the display sleep when a video loops by itself.
 */
const REPEAT_FROM_SECONDS = 3;

/**
 * Makes the wake lock of browsers, which they have on HTTPS and localhost only. They release it when the page is
 * hidden.
 * @returns {(wanted: boolean) => void} acquires or releases it
 */
function nativeLock() {
  let isWanted = false;
  /** @type {{release: () => Promise<void>, released: boolean} | null} */
  let lock = null;
  let updating = Promise.resolve();
  const update = async () => {
    if (!isWanted) await lock?.release();
    else if (document.visibilityState === 'visible' && (!lock || lock.released)) {
      lock = await navigator.wakeLock.request('screen');
    }
  };
  // One after the other. A low battery forbids it; it is tried again when the page is shown.
  const queue = () => void (updating = updating.then(update).catch(() => {}));
  document.addEventListener('visibilitychange', queue);
  return (wanted) => {
    isWanted = wanted;
    queue();
  };
}

/**
 * Makes a silent video that plays as long as the display has to be on, for phones on plain HTTP.
 * @returns {(wanted: boolean) => void} plays or pauses it
 */
function videoLock() {
  let isWanted = false;
  let isAllowed = false;
  const props = { src: AWAKE_VIDEO, playsInline: true, tabIndex: -1, 'aria-hidden': 'true' };
  const video = h('video.awake', props);
  const update = () => {
    if (!isWanted || document.visibilityState !== 'visible') video.pause();
    else if (video.paused) video.play().catch(() => {}); // not allowed before a touch
  };
  const onTouch = () => {
    if (isAllowed && !isWanted) return;
    video
      .play()
      .then(() => {
        isAllowed = true;
        update();
      })
      .catch(() => {}); // tried again at the next touch
  };
  video.addEventListener('timeupdate', () => {
    if (video.currentTime > REPEAT_FROM_SECONDS) video.currentTime = 0;
  });
  video.addEventListener('ended', update);
  // Browsers allow sound only after a touch, Safari only if it has begun in one. Later starts need none.
  document.addEventListener('touchend', onTouch, { capture: true });
  document.addEventListener('visibilitychange', update);
  document.body.append(video);
  return (wanted) => {
    isWanted = wanted;
    update();
  };
}

/**
 * Keeps the display on: in the lobby and in matches where the browser has a wake lock, otherwise by a video during
 * matches, on devices with a touch screen.
 * @returns {(state: 'off' | 'lobby' | 'match') => void} sets what is shown
 */
export function keepAwake() {
  if ('wakeLock' in navigator) {
    const set = nativeLock();
    return (state) => set(state !== 'off');
  }
  const set = matchMedia('(pointer: coarse)').matches ? videoLock() : undefined;
  return (state) => set?.(state === 'match');
}
