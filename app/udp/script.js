/** The language of `pitv pad --script`: one command a line. */
import { setTimeout as delay } from 'node:timers/promises';
import { PitvError } from '../errors.js';

const BUTTONS = Object.freeze({ a: 1, b: 2 });
const TAP_MS = 60;
const MAX_WAIT_MS = 3_600_000;

export const SCRIPT_HELP = `  start GAME      start a game, and wait until the pad sits in a match
  match           wait until the pad sits in a match
  stick X Y       -127..127; right and down are positive
  hold a|b        release a|b        press a|b
  wait MS
  leave           end
Empty lines and lines that begin with # are ignored.`;

/** @typedef {{verb: string, words: string[]}} Step */

/** @param {number} min @param {number} max @returns {(word: string) => boolean} */
const whole = (min, max) => (word) =>
  /^-?\d{1,7}$/.test(word) && Number(word) >= min && Number(word) <= max;
const axis = whole(-127, 127);
const button = (/** @type {string} */ word) => Object.hasOwn(BUTTONS, word);

/** Verb -> checks of the words that follow. @type {Map<string, ((word: string) => boolean)[]>} */
const VERBS = new Map([
  ['start', [() => true]],
  ['match', []],
  ['stick', [axis, axis]],
  ['hold', [button]],
  ['release', [button]],
  ['press', [button]],
  ['wait', [whole(0, MAX_WAIT_MS)]],
  ['leave', []],
  ['end', []],
]);

/** Parses a script. @param {string} text @returns {Step[]} @throws {PitvError} PITV_USAGE */
export function parseScript(text) {
  return text.split('\n').flatMap((raw, index) => {
    const [verb = '', ...words] = raw.trim().split(/\s+/);
    if (verb === '' || verb.startsWith('#')) return [];
    const checks = VERBS.get(verb);
    if (checks?.length !== words.length || !checks.every((fits, i) => fits(words[i]))) {
      throw new PitvError(
        'PITV_USAGE',
        `Line ${index + 1} of the script is invalid: ${raw.trim()}`,
      );
    }
    return [{ verb, words }];
  });
}

/**
 * Runs a script.
 * @param {import('./client.js').UdpPad} pad @param {Step[]} steps
 * @param {AbortSignal} [signal] stops the script
 * @throws {PitvError} when the TV refuses a message
 */
export async function runScript(pad, steps, signal) {
  for (const { verb, words } of steps) {
    signal?.throwIfAborted();
    const bit = BUTTONS[/** @type {'a' | 'b'} */ (words[0])];
    switch (verb) {
      case 'start':
        pad.send({ t: 'start', game: words[0] });
        await waitForSeat(pad, signal);
        break;
      case 'match':
        await waitForSeat(pad, signal);
        break;
      case 'stick':
        pad.set({ x: Number(words[0]), y: Number(words[1]) });
        break;
      case 'hold':
        pad.set({ buttons: pad.buttons | bit });
        break;
      case 'release':
        pad.set({ buttons: pad.buttons & ~bit });
        break;
      case 'press':
        pad.set({ buttons: pad.buttons | bit });
        await delay(TAP_MS, undefined, { signal });
        pad.set({ buttons: pad.buttons & ~bit });
        break;
      case 'wait':
        await delay(Number(words[0]), undefined, { signal });
        break;
      case 'leave':
        pad.send({ t: 'leave' });
        break;
      case 'end':
        return;
    }
  }
}

/** Waits until the pad sits in a match. @param {import('./client.js').UdpPad} pad @param {AbortSignal} [signal] */
async function waitForSeat(pad, signal) {
  if (pad.seated) return;
  await new Promise((resolve, reject) => {
    pad.once('match', resolve);
    pad.once('problem', reject);
    pad.once('close', (reason) => reject(new PitvError('PITV_TV_UNREACHABLE', `${reason}.`)));
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}
