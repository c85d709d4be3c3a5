/**
 * The format of a replay: the last seconds of a match as the messages that a screen gets. The TV writes it, the pages
 * and `pitv clip` read it. Little-endian.
 *
 *   magic      8 B  "pitvplay"
 *   version    4 B  u32, 1
 *   length     4 B  u32, of the description
 *   description     JSON: {match, savedAt, game}; the game as in GET /api/games
 *   records         u8 type, u32 length, then the bytes
 *     slots    1    JSON: players by slot, until the next such record
 *     frame    2    a frame or a difference; frame.js and frame-difference.js describe them
 *
 * The first record is of slots. Each block of records that the TV dropped or kept as a whole begins with slots and two
 * whole frames.
 */
import { DifferenceReader } from './frame-difference.js';
import { findFrameProblem, frameLimitsOf } from './frame-reader.js';
import { HEADER_AT } from './frame.js';

const MAGIC = 'pitvplay';
const REPLAY_VERSION = 1;
const HEAD_BYTES = 16;
const RECORD_HEAD_BYTES = 5;
export const RECORD = Object.freeze({ slots: 1, frame: 2 });
/** A reader refuses larger files. The TV writes less. */
export const MAX_REPLAY_BYTES = 4 * 1024 * 1024;
/** Size of all restored frames, which differences make much smaller. */
const MAX_FRAMES_BYTES = 64 * 1024 * 1024;
/** Largest number of slots, kinds or types of events. */
const MAX_COUNT = 256;

/**
 * @typedef {{id: string, version: string, title: string, players: {min: number, max: number}, view: {width: number,
 *   height: number, kinds: any[], events: any[]}, teams?: {name: string, color: string}[]}} ReplayGame
 *   an entry of GET /api/games
 * @typedef {{slot: number, player: {id: string | number, name: string, color: string} | null}[]} ReplaySlots
 *
 * @typedef {object} Replay
 * @property {number} match @property {number} savedAt ms since 1970
 * @property {ReplayGame} game
 * @property {{bytes: ArrayBuffer, tick: number, slots: ReplaySlots}[]} frames whole frames, in the order of ticks
 */

/** A file that is no replay. Its message is for people who read English. */
export class ReplayError extends Error {}

/**
 * Writes the beginning of a replay, before its records.
 * @param {{match: number, savedAt: number, game: object}} description
 */
export function replayHead(description) {
  const json = new TextEncoder().encode(JSON.stringify(description));
  const head = new Uint8Array(HEAD_BYTES + json.length);
  head.set(new TextEncoder().encode(MAGIC));
  const view = new DataView(head.buffer);
  view.setUint32(8, REPLAY_VERSION, true);
  view.setUint32(12, json.length, true);
  head.set(json, HEAD_BYTES);
  return head;
}

/** Returns the name of a file without an extension. @param {string} game @param {Date} savedAt */
export const replayName = (game, savedAt) =>
  `pitv-${game}-${savedAt.toISOString().slice(0, 19).replace(/:/g, '-')}`;

/** Returns the size of a record. @param {Uint8Array} content */
export const recordBytes = (content) => RECORD_HEAD_BYTES + content.length;

/** Writes a record. @param {Uint8Array} target @param {number} at @param {number} type @param {Uint8Array} content */
export function writeRecord(target, at, type, content) {
  const { length } = content;
  target[at] = type;
  for (let i = 0; i < 4; i++) target[at + 1 + i] = length >>> (8 * i);
  target.set(content, at + RECORD_HEAD_BYTES);
}

/** Reads and checks a replay. @param {ArrayBuffer} buffer @returns {Replay} @throws {ReplayError} */
export function readReplay(buffer) {
  const bytes = new Uint8Array(buffer);
  const view = new DataView(buffer);
  const magic = String.fromCharCode(...bytes.subarray(0, MAGIC.length));
  if (bytes.length < HEAD_BYTES || magic !== MAGIC) throw new ReplayError('It is no replay.');
  if (bytes.length > MAX_REPLAY_BYTES) throw new ReplayError('It is too large.');
  const version = view.getUint32(8, true);
  if (version !== REPLAY_VERSION) {
    throw new ReplayError(`It has version ${version} of the format, not ${REPLAY_VERSION}.`);
  }
  const recordsAt = HEAD_BYTES + view.getUint32(12, true);
  if (recordsAt > bytes.length) throw new ReplayError('It is truncated.');
  const description = parse(bytes.subarray(HEAD_BYTES, recordsAt));
  const { match, savedAt, game } = Object(description);
  checkGame(game);
  const frames = readFrames(buffer, recordsAt, frameLimitsOf(game));
  return { match: Number(match), savedAt: Number(savedAt), game, frames };
}

/**
 * @param {ArrayBuffer} buffer @param {number} from offset of the first record
 * @param {import('./frame-reader.js').FrameLimits} limits
 */
function readFrames(buffer, from, limits) {
  const view = new DataView(buffer);
  const reader = new DifferenceReader();
  /** @type {Replay['frames']} */
  const frames = [];
  /** @type {ReplaySlots | undefined} */
  let slots;
  let room = MAX_FRAMES_BYTES;
  for (let at = from; at < buffer.byteLength;) {
    const start = at + RECORD_HEAD_BYTES;
    if (start > buffer.byteLength) throw new ReplayError('It is truncated.');
    const end = start + view.getUint32(at + 1, true);
    if (end > buffer.byteLength) throw new ReplayError('It is truncated.');
    const content = buffer.slice(start, end);
    const type = view.getUint8(at);
    at = end;
    if (type === RECORD.slots) slots = readSlots(parse(new Uint8Array(content)));
    if (type !== RECORD.frame) continue;
    const whole = reader.read(content);
    room -= whole?.byteLength ?? 0;
    if (!slots || !whole || room < 0 || findFrameProblem(new Uint8Array(whole), limits)) {
      throw new ReplayError('It is damaged.');
    }
    const tick = new DataView(whole).getUint32(HEADER_AT.tick, true);
    if (tick <= (frames.at(-1)?.tick ?? -1)) throw new ReplayError('It is damaged.');
    frames.push({ bytes: whole, tick, slots });
  }
  if (frames.length < 2) throw new ReplayError('It has no frames.');
  return frames;
}

/** @param {Uint8Array} bytes @returns {unknown} @throws {ReplayError} */
function parse(bytes) {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw new ReplayError('It is damaged.');
  }
}

const isText = (/** @type {unknown} */ value) => typeof value === 'string' && value.length <= 256;
const isSize = (/** @type {unknown} */ value) => Number(value) > 0 && Number(value) <= 4096;
const isCount = (/** @type {any} */ value) =>
  Number.isInteger(value) && value >= 0 && value <= MAX_COUNT;
/** Checks a list of objects. @param {any} list @param {(item: any) => boolean} isValid */
const isList = (list, isValid = () => true) =>
  Array.isArray(list) && list.length <= MAX_COUNT && list.every((item) => isValid(Object(item)));
const isNamed = (/** @type {any} */ { name, color }) => isText(name) && isText(color);
const isOptionalText = (/** @type {unknown} */ value) => value === undefined || isText(value);

/** Checks what the renderer uses of a game. @param {any} game @throws {ReplayError} */
function checkGame(game) {
  const { id, version, title, players, view, teams = [] } = Object(game);
  const { width, height, background, kinds, events, extra = [], round } = Object(view);
  const isValid =
    [id, version, title, background].every(isText) &&
    isCount(Object(players).max) &&
    [width, height].every(isSize) &&
    isList(kinds, ({ look, color, picture }) => [look, color, picture].every(isOptionalText)) &&
    isList(events, ({ effect, sound }) => [effect, sound].every(isOptionalText)) &&
    isList(extra) &&
    extra.every(isText) &&
    isOptionalText(round) &&
    isList(teams, isNamed) &&
    teams.length <= 4;
  if (!isValid) throw new ReplayError('It is damaged.');
}

/** @param {any} slots @returns {ReplaySlots} @throws {ReplayError} */
function readSlots(slots) {
  const isSlot = (/** @type {any} */ { slot, player }) =>
    isCount(slot) && (player === null || isNamed(Object(player)));
  if (!isList(slots, isSlot)) throw new ReplayError('It is damaged.');
  return slots;
}
