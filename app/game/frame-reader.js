/**
 * Reads the few bytes of a frame that the main thread cares for, in place: decoding a whole frame
 * of thousands of bodies is the screens' work.
 */
import { EVENT_BYTES, HEADER_BYTES, PLAYER_BYTES } from './frame.js';

const PLAYERS_AT = 10;
const EVENTS_AT = 11;
const PHASE_AT = 12;
const ROUND_AT = 13;
const TIMER_AT = 14;

/** @param {Uint8Array} bytes */
const viewOf = (bytes) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** @param {Uint8Array} bytes a frame @returns {number} one of PHASE, -1 when the frame is too short */
export const readPhase = (bytes) => (bytes.length < HEADER_BYTES ? -1 : bytes[PHASE_AT]);

/**
 * @param {Uint8Array} bytes a frame
 * @returns {{phase: number, round: number, seconds: number}} seconds: whole ones left in the phase
 */
export function readClock(bytes) {
  if (bytes.length < HEADER_BYTES) return { phase: -1, round: 0, seconds: 0 };
  const tenths = bytes[TIMER_AT] | (bytes[TIMER_AT + 1] << 8);
  return { phase: bytes[PHASE_AT], round: bytes[ROUND_AT], seconds: Math.ceil(tenths / 10) };
}

/** @param {Uint8Array} bytes a frame @returns {number} how many player records it really holds */
export function playerCount(bytes) {
  if (bytes.length < HEADER_BYTES) return 0;
  return Math.min(bytes[PLAYERS_AT], Math.floor((bytes.length - HEADER_BYTES) / PLAYER_BYTES));
}

/**
 * @param {Uint8Array} bytes a frame
 * @param {number} slot below playerCount()
 * @returns {number} the sequence number of the newest input that the frame shows, uint32
 */
export function readInputSequence(bytes, slot) {
  const at = HEADER_BYTES + slot * PLAYER_BYTES;
  return (bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24)) >>> 0;
}

/**
 * @param {Uint8Array} bytes a frame
 * @returns {{score: number, flags: number, gauge: number}[]} by slot
 */
export function readPlayers(bytes) {
  const view = viewOf(bytes);
  return Array.from({ length: playerCount(bytes) }, (_, slot) => {
    const at = HEADER_BYTES + slot * PLAYER_BYTES;
    return {
      score: view.getInt32(at + 4, true),
      flags: view.getUint8(at + 8),
      gauge: view.getUint8(at + 9),
    };
  });
}

/**
 * The events of a frame that are newer than one known before.
 * @param {Uint8Array} bytes a frame
 * @param {number} seen sequence of the newest event known, or -1: then all are new
 * @param {(type: number, owner: number) => void} each
 * @returns {number} sequence of the newest event, or `seen` when there is none
 */
export function readEvents(bytes, seen, each) {
  const first = HEADER_BYTES + playerCount(bytes) * PLAYER_BYTES;
  const room = Math.floor((bytes.length - first) / EVENT_BYTES);
  const count = bytes.length < HEADER_BYTES ? 0 : Math.min(bytes[EVENTS_AT], room);
  let newest = seen;
  for (let i = 0; i < count; i++) {
    const at = first + i * EVENT_BYTES;
    const sequence = bytes[at] | (bytes[at + 1] << 8);
    const ahead = (sequence - newest) & 0xffff;
    if (newest >= 0 && (ahead === 0 || ahead > 0x7fff)) continue; // sequences wrap at 2^16
    newest = sequence;
    each(bytes[at + 2], bytes[at + 3]);
  }
  return newest;
}
