/**
 * Keys of keyboards and of televisions' remotes. Names and codes:
 * https://developer.samsung.com/smarttv/develop/guides/user-interaction/remote-control.html (Tizen),
 * https://webostv.developer.lge.com/develop/guides/remote-control-key-codes (webOS).
 */

/** @typedef {'left' | 'right' | 'up' | 'down'} Direction */
/**
 * @typedef {Direction | 'back' | 'red' | 'green' | 'yellow' | 'blue' | 'play' | 'pause' | 'playPause' | 'stop'}
 *   RemoteKey
 */

/** By KeyboardEvent.key. @type {Readonly<Record<string, RemoteKey>>} */
const BY_NAME = Object.freeze({
  ArrowLeft: 'left',
  ArrowRight: 'right',
  ArrowUp: 'up',
  ArrowDown: 'down',
  Escape: 'back',
  Backspace: 'back',
  GoBack: 'back',
  BrowserBack: 'back',
  XF86Back: 'back',
  ColorF0Red: 'red',
  ColorF1Green: 'green',
  ColorF2Yellow: 'yellow',
  ColorF3Blue: 'blue',
  MediaPlay: 'play',
  MediaPause: 'pause',
  MediaPlayPause: 'playPause',
  MediaStop: 'stop',
});

/** By KeyboardEvent.keyCode, for televisions that give no name. @type {Readonly<Record<number, RemoteKey>>} */
const BY_CODE = Object.freeze({
  37: 'left',
  38: 'up',
  39: 'right',
  40: 'down',
  461: 'back', // webOS
  10009: 'back', // Tizen
  403: 'red',
  404: 'green',
  405: 'yellow',
  406: 'blue',
  415: 'play',
  19: 'pause',
  10252: 'playPause', // Tizen
  413: 'stop',
});

/** Names of keys that Tizen passes to a page only when it has registered them. */
const TIZEN_KEYS = Object.keys(BY_NAME).filter((name) => /^(Color|Media)/.test(name));

/**
 * Returns the meaning of a key on a remote, or of the same key of a keyboard.
 * @param {Pick<KeyboardEvent, 'key' | 'keyCode'>} event
 * @returns {RemoteKey | undefined} undefined for OK, which the browser handles, and for every other key
 */
export const remoteKey = ({ key, keyCode }) => BY_NAME[key] ?? BY_CODE[keyCode];

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
