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

/**
 * @typedef {object} Step
 * @property {string} verb @property {string[]} words
 * @property {number} line
 */

/** Verb -> number of words that follow. */
const VERBS = Object.freeze(
  /** @type {Record<string, number>} */ ({
    start: 1,
    match: 0,
    stick: 2,
    hold: 1,
    release: 1,
    press: 1,
    wait: 1,
    leave: 0,
    end: 0,
  }),
);

/**
 * Parses a script.
 * @param {string} text
 * @returns {Step[]}
 * @throws {PitvError} PITV_USAGE with the first invalid line
 */
export function parseScript(text) {
  return text.split('\n').flatMap((raw, index) => {
    const line = index + 1;
    const [verb = '', ...words] = raw.trim().split(/\s+/);
    if (verb === '' || verb.startsWith('#')) return [];
    const whole = words.every((word) => /^-?\d{1,7}$/.test(word));
    const numbers = words.map(Number);
    const fits =
      verb === 'stick'
        ? whole && numbers.every((value) => Math.abs(value) <= 127)
        : verb === 'wait'
          ? whole && numbers[0] >= 0 && numbers[0] <= MAX_WAIT_MS
          : ['hold', 'release', 'press'].includes(verb)
            ? words[0] in BUTTONS
            : true;
    if (VERBS[verb] !== words.length || !fits) {
      throw new PitvError('PITV_USAGE', `Line ${line} of the script is invalid: ${raw.trim()}`);
    }
    return [{ verb, words, line }];
  });
}

/**
 * Runs a script.
 * @param {import('./client.js').UdpPad} pad
 * @param {Step[]} steps
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
