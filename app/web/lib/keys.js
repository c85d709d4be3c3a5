/**
 * Keys of keyboards and of televisions' remotes. Names and codes:
 * https://developer.samsung.com/smarttv/develop/guides/user-interaction/remote-control.html (Tizen),
 * https://webostv.developer.lge.com/develop/guides/remote-control-key-codes (webOS).
 */

/** Names (KeyboardEvent.key) and codes (keyCode) of the keys, by their meaning. Some televisions give no name. */
const KEYS = {
  left: ['ArrowLeft', 37],
  up: ['ArrowUp', 38],
  right: ['ArrowRight', 39],
  down: ['ArrowDown', 40],
  back: ['Escape', 'Backspace', 'GoBack', 'BrowserBack', 'XF86Back', 461, 10009], // 461: webOS, 10009: Tizen
  red: ['ColorF0Red', 403],
  green: ['ColorF1Green', 404],
  yellow: ['ColorF2Yellow', 405],
  blue: ['ColorF3Blue', 406],
  play: ['MediaPlay', 415],
  pause: ['MediaPause', 19],
  playPause: ['MediaPlayPause', 10252], // Tizen
  stop: ['MediaStop', 413],
};

/** @typedef {'left' | 'right' | 'up' | 'down'} Direction */
/** @typedef {keyof typeof KEYS} RemoteKey */

/** By name or code. @type {Map<string | number, RemoteKey>} */
const MEANINGS = new Map(
  Object.entries(KEYS).flatMap(([meaning, keys]) =>
    keys.map((key) => /** @type {[string | number, RemoteKey]} */ ([key, meaning])),
  ),
);

/** Names of keys that Tizen passes to a page only when it has registered them. */
const TIZEN_KEYS = [...MEANINGS.keys()].filter((key) => /^(Color|Media)/.test(String(key)));

/**
 * Returns the meaning of a key on a remote, or of the same key of a keyboard.
 * @param {Pick<KeyboardEvent, 'key' | 'keyCode'>} event
 * @returns {RemoteKey | undefined} undefined for OK, which the browser handles, and for every other key
 */
export const remoteKey = ({ key, keyCode }) => MEANINGS.get(key) ?? MEANINGS.get(keyCode);

/**
 * Returns the letter or digit of a key. An input method such as the Korean one gives `key` another letter, or the name
 * Process. Then the letter is the one that the key has on a QWERTY keyboard.
 * @param {Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'altKey' | 'metaKey'>} event
 * @returns {string} A to Z or 0 to 9; '' for other keys and for shortcuts
 */
export function keyLetter({ key, code, ctrlKey, altKey, metaKey }) {
  if (ctrlKey || altKey || metaKey) return '';
  if (/^[a-z\d]$/i.test(key)) return key.toUpperCase();
  const isNamed = key.length > 1 && key !== 'Process' && key !== 'Unidentified'; // Enter, Tab, F1 …
  return isNamed
    ? ''
    : (/^(?:Key([A-Z])|(?:Digit|Numpad)(\d))$/.exec(code)?.slice(1).join('') ?? '');
}

/** Asks a Tizen television for the keys that it otherwise keeps to itself. Does nothing in other browsers. */
export function registerRemoteKeys() {
  const device = /** @type {any} */ (globalThis).tizen?.tvinputdevice;
  for (const name of device ? TIZEN_KEYS : []) {
    try {
      device.registerKey(name);
    } catch {
      // This model has no such key, or the page may not use it.
    }
  }
}

/**
 * A television may both send its Back key to the page and go back in the history. The second is ignored within this
 * time.
 */
const SAME_BACK_MS = 500;
/** State of the history entry that is left by going back from a match. */
const GUARD_STATE = 'pitv.match';

/**
 * Keeps Back of the browser from leaving the page during a match. The Back key of some televisions does not reach the
 * page, and phones go back at a swipe from the edge.
 * @param {object} options
 * @param {() => boolean} options.active returns whether a match is shown
 * @param {() => void} options.onBack called instead
 * @returns {() => void} call it when a match is shown
 */
export function guardHistory({ active, onBack }) {
  let backKeyAt = -Infinity;
  const guard = () => {
    if (history.state !== GUARD_STATE) history.pushState(GUARD_STATE, '');
  };
  document.addEventListener(
    'keydown',
    (event) => {
      if (remoteKey(event) === 'back') backKeyAt = event.timeStamp;
    },
    { capture: true },
  );
  addEventListener('popstate', (event) => {
    if (!active()) return;
    guard();
    if (event.timeStamp - backKeyAt > SAME_BACK_MS) onBack();
  });
  return guard;
}
