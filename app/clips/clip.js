/** The descriptions of clips, and the render jobs for them. */
import { randomBytes } from 'node:crypto';
import { PitvError, messageOf } from '../errors.js';
import { BITRATES, diskFullError } from './encode.js';
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
 * @property {string} [client] the key of the address of the screen that requested it
 * @property {ClipState} state
 * @property {number} match @property {string} game @property {string} title
 * @property {number} createdAt ms since 1970
 * @property {number} seconds duration; of a recording, the duration so far
 * @property {number} width @property {number} height @property {number} fps
 * @property {number} bytes size of the file; 0 until the clip is ready
 * @property {number} done share of the work, 0..1
 * @property {{code: string, message: string} | null} error why it failed
 *
 * @typedef {object} ClipSource the parts of a Match that clips use
 * @property {number} id
 * @property {Pick<import('../lobby/catalog.js').Game, 'id' | 'title' | 'url' | 'lock' | 'folder' | 'view' |
 *   'translations'>} game
 * @property {Record<string, number>} options
 * @property {import('../match/replay-log.js').ReplayLog} replayLog
 * @property {() => void} record records the ticks since the last call
 */

/**
 * Checks the options of a clip.
 * @param {'last' | 'now'} from @param {number} height @param {number} [seconds]
 * @returns {number} maximum duration, seconds
 * @throws {PitvError} PITV_CLIP_OPTION
 */
export function checkClipOptions(from, height, seconds = KEEP_SECONDS) {
  const max = from === 'last' ? KEEP_SECONDS : PIN_SECONDS;
  if (!['last', 'now'].includes(from) || !HEIGHTS.includes(height)) {
    throw new PitvError(
      'PITV_CLIP_OPTION',
      `from must be "last" or "now", and height ${HEIGHTS.join(' or ')}.`,
    );
  }
  if (!Number.isInteger(seconds) || seconds < 1 || seconds > max) {
    throw new PitvError('PITV_CLIP_OPTION', `seconds must be a whole number from 1 to ${max}.`);
  }
  return seconds;
}

/**
 * Makes the description of a new clip.
 * @param {ClipSource} match @param {number} height
 * @param {{owner: string, client?: string}} by see Clip
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
 * Makes the render job for a part of a match.
 * @param {ClipSource} match @param {number} height
 * @param {number} fromTick @param {number} [toTick] the newest tick by default
 * @returns {import('./render/pictures.js').RenderJob}
 * @throws {PitvError} PITV_CLIP_EMPTY
 */
export function renderJobOf(match, height, fromTick, toTick = match.replayLog.lastTick) {
  return {
    gameUrl: match.game.url,
    lock: match.game.lock,
    art: artOf(match.game),
    translations: match.game.translations,
    options: { ...match.options, match: match.id },
    replay: match.replayLog.clip(fromTick, toTick),
    width: (height * 16) / 9,
    height,
    fps: FPS,
  };
}

/**
 * Lists the pictures that a game names.
 * @param {ClipSource['game']} game @returns {import('./decode-pictures.js').Art | undefined}
 */
function artOf({ folder, view }) {
  const names = view.kinds.flatMap(({ picture }) => picture ?? []);
  return folder && names.length > 0 ? { folder, names: [...new Set(names)] } : undefined;
}

/** Returns the duration of a clip, rounded to 0.1 s. @param {import('./render/pictures.js').RenderJob} job */
export function secondsOf({ replay }) {
  return Math.round(((replay.toTick - replay.fromTick) / TICK_HZ) * 10) / 10;
}

/** Converts any error to one with a code and a sentence. @param {unknown} error @returns {PitvError} */
export function toClipError(error) {
  if (error instanceof PitvError) return error;
  const { code } = /** @type {NodeJS.ErrnoException} */ (error ?? {});
  return code === 'ENOSPC' || code === 'EDQUOT'
    ? diskFullError()
    : new PitvError('PITV_CLIP_FAILED', `The clip failed: ${messageOf(error)}. Try again.`);
}
