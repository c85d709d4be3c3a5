/**
 * Reads single fields of a frame in place. The main thread needs no more than these: the pages read
 * the bodies.
 */
import {
  EVENT_AT,
  EVENT_BYTES,
  HEADER_AT,
  HEADER_BYTES,
  PLAYER_AT,
  PLAYER_BYTES,
} from './frame.js';

/** @param {Uint8Array} bytes */
const viewOf = (bytes) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** @param {Uint8Array} bytes a frame @returns {number} one of PHASE, -1 when the frame is too short */
export const readPhase = (bytes) => (bytes.length < HEADER_BYTES ? -1 : bytes[HEADER_AT.phase]);

/**
 * @param {Uint8Array} bytes a frame
 * @returns {{phase: number, round: number, seconds: number}} seconds: whole ones left in the phase
 */
export function readClock(bytes) {
  if (bytes.length < HEADER_BYTES) return { phase: -1, round: 0, seconds: 0 };
  const tenths = bytes[HEADER_AT.timer] | (bytes[HEADER_AT.timer + 1] << 8);
  return {
    phase: bytes[HEADER_AT.phase],
    round: bytes[HEADER_AT.round],
    seconds: Math.ceil(tenths / 10),
  };
}

/** @param {Uint8Array} bytes a frame @returns {number} how many player records it really holds */
export function playerCount(bytes) {
  if (bytes.length < HEADER_BYTES) return 0;
  return Math.min(
    bytes[HEADER_AT.players],
    Math.floor((bytes.length - HEADER_BYTES) / PLAYER_BYTES),
  );
}

/**
 * @param {Uint8Array} bytes a frame
 * @param {number} slot below playerCount()
 * @returns {number} the sequence number of the newest input that the frame shows, uint32
 */
export function readInputSequence(bytes, slot) {
  const at = HEADER_BYTES + slot * PLAYER_BYTES + PLAYER_AT.inputSequence;
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
      score: view.getInt32(at + PLAYER_AT.score, true),
      flags: view.getUint8(at + PLAYER_AT.flags),
      gauge: view.getUint8(at + PLAYER_AT.gauge),
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
  const count = bytes.length < HEADER_BYTES ? 0 : Math.min(bytes[HEADER_AT.events], room);
  let newest = seen;
  for (let i = 0; i < count; i++) {
    const at = first + i * EVENT_BYTES;
    const sequenceAt = at + EVENT_AT.sequence;
    const sequence = bytes[sequenceAt] | (bytes[sequenceAt + 1] << 8);
    const ahead = (sequence - newest) & 0xffff;
    if (newest >= 0 && (ahead === 0 || ahead > 0x7fff)) continue; // sequences wrap at 2^16
    newest = sequence;
    each(bytes[at + EVENT_AT.type], bytes[at + EVENT_AT.owner]);
  }
  return newest;
}
