/**
 * Reads single fields of a frame in place, for the main thread. The bodies are only read by the pages.
 */
import {
  EVENT_AT,
  EVENT_BYTES,
  HEADER_AT,
  HEADER_BYTES,
  PLAYER_AT,
  PLAYER_BYTES,
  PLAYER_FLAG,
  teamOf,
} from './frame.js';

/** @param {Uint8Array} bytes */
const viewOf = (bytes) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** @param {Uint8Array} bytes a frame @returns {number} one of PHASE, or -1 if the frame is too short */
export const readPhase = (bytes) => (bytes.length < HEADER_BYTES ? -1 : bytes[HEADER_AT.phase]);

/**
 * @param {Uint8Array} bytes a frame
 * @returns {{phase: number, round: number, seconds: number}} seconds: left in the phase, rounded up
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

/** @param {Uint8Array} bytes a frame @returns {number} player records that lie within its bytes */
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
 * @returns {number} sequence number of the newest input in the frame, uint32
 */
export function readInputSequence(bytes, slot) {
  const at = HEADER_BYTES + slot * PLAYER_BYTES + PLAYER_AT.inputSequence;
  return (bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24)) >>> 0;
}

/**
 * @param {Uint8Array} bytes a frame
 * @returns {{score: number, flags: number, gauge: number}[]} by slot, then those of the teams
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
 * Reads the records of the teams.
 * @param {{score: number, flags: number}[]} records see readPlayers()
 * @param {number} teams number of teams of the game
 * @returns {{score: number, winner: boolean}[]} by team; 0 and false if there is no record
 */
export function readTeams(records, teams) {
  return Array.from({ length: teams }, (_, team) => {
    const record = records.find(
      ({ flags }) => (flags & PLAYER_FLAG.team) !== 0 && teamOf(flags) === team,
    );
    return {
      score: record?.score ?? 0,
      winner: record !== undefined && (record.flags & PLAYER_FLAG.winner) !== 0,
    };
  });
}

/**
 * Calls a function for each event of a frame that is newer than a known one.
 * @param {Uint8Array} bytes a frame
 * @param {number} seen sequence number of the newest known event, or -1 if there is none
 * @param {(type: number, owner: number) => void} each
 * @returns {number} sequence number of the newest event, or `seen` if none is newer
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
