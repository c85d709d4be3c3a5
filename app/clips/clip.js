/** Describes clips: what to render, how long, how large. */
import { randomBytes } from 'node:crypto';
import { PitvError, messageOf } from '../errors.js';
import { BITRATES, diskFull } from './encode.js';
import { KEEP_SECONDS, PIN_SECONDS } from '../match/replay-log.js';

const TICK_HZ = 60;
const FPS = 30;
export const HEIGHTS = Object.freeze(Object.keys(BITRATES).map(Number));

/**
 * @typedef {'recording' | 'waiting' | 'making' | 'ready' | 'failed'} ClipState
 *
 * @typedef {object} Clip
 * @property {string} id random, 96 bits
 * @property {string} owner who may delete it
 * @property {string} [client] the key of the address of the screen that asked for it
 * @property {ClipState} state
 * @property {number} match @property {string} game @property {string} title
 * @property {number} createdAt ms since 1970
 * @property {number} seconds of play; what a recording has so far
 * @property {number} width @property {number} height @property {number} fps
 * @property {number} bytes of the file; 0 until it is there
 * @property {number} done share of the work, 0..1
 * @property {{code: string, message: string} | null} error why it failed
 *
 * @typedef {object} Filmed a match, as far as it is needed here
 * @property {number} id
 * @property {{id: string, title: string, url: string}} game
 * @property {Record<string, number>} options
 * @property {import('../match/replay-log.js').ReplayLog} replayLog
 * @property {() => void} record records the ticks since the last call
 */

/**
 * @param {'last' | 'now'} from @param {number} height @param {number} [seconds]
 * @returns {number} seconds of the longest that it can become
 * @throws {PitvError} PITV_CLIP_OPTION
 */
export function checkWanted(from, height, seconds = KEEP_SECONDS) {
  const most = from === 'last' ? KEEP_SECONDS : PIN_SECONDS;
  if (!['last', 'now'].includes(from) || !HEIGHTS.includes(height)) {
    throw new PitvError(
      'PITV_CLIP_OPTION',
      `A clip is of the last seconds or from now, ${HEIGHTS.join(' or ')} pixels high.`,
    );
  }
  if (!Number.isInteger(seconds) || seconds < 1 || seconds > most) {
    throw new PitvError('PITV_CLIP_OPTION', `seconds must be a whole number from 1 to ${most}.`);
  }
  return seconds;
}

/**
 * @param {Filmed} match @param {number} height
 * @param {{owner: string, client?: string}} by
 * @returns {Clip}
 */
export function newClip(match, height, { owner, client }) {
  return {
    id: randomBytes(12).toString('hex'),
    owner,
    client,
    state: 'waiting',
    match: match.id,
    game: match.game.id,
    title: match.game.title,
    createdAt: Date.now(),
    seconds: 0,
    width: (height * 16) / 9,
    height,
    fps: FPS,
    bytes: 0,
    done: 0,
    error: null,
  };
}

/**
 * @param {Filmed} match @param {number} height
 * @param {number} fromTick @param {number} [toTick] default: the newest
 * @returns {import('./render/pictures.js').RenderJob}
 * @throws {PitvError} PITV_CLIP_EMPTY
 */
export function renderJobOf(match, height, fromTick, toTick = match.replayLog.lastTick) {
  return {
    gameUrl: match.game.url,
    options: { ...match.options, match: match.id },
    replay: match.replayLog.clip(fromTick, toTick),
    width: (height * 16) / 9,
    height,
    fps: FPS,
  };
}

/** @param {import('./render/pictures.js').RenderJob} job */
export function secondsOf({ replay }) {
  return Math.round(((replay.toTick - replay.fromTick) / TICK_HZ) * 10) / 10;
}

/** @param {unknown} error @returns {PitvError} */
export function asClipError(error) {
  if (error instanceof PitvError) return error;
  const { code } = /** @type {NodeJS.ErrnoException} */ (error ?? {});
  return code === 'ENOSPC' || code === 'EDQUOT'
    ? diskFull()
    : new PitvError('PITV_CLIP_FAILED', `The clip failed: ${messageOf(error)}. Try again.`);
}
