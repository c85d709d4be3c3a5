/** Reads single fields of a frame in place, for the main thread. The bodies are only read by the pages. */
import {
  BODY_AT,
  BODY_BYTES,
  EVENT_AT,
  EVENT_BYTES,
  FRAME_TYPE,
  FRAME_VERSION,
  HEADER_AT,
  HEADER_BYTES,
  MAX_EVENTS,
  NO_OWNER,
  PHASE,
  PLAYER_AT,
  PLAYER_BYTES,
  PLAYER_FLAG,
  readEvent,
  readPlayer,
  teamOf,
} from './frame.js';

/** @param {Uint8Array} bytes */
const viewOf = (bytes) => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** @param {Uint8Array} bytes a frame @returns {number} one of PHASE, or -1 if the frame is too short */
export const readPhase = (bytes) => (bytes.length < HEADER_BYTES ? -1 : bytes[HEADER_AT.phase]);

/** @param {Uint8Array} bytes a frame @returns {number} its tick, 0 if the frame is too short */
export const readTick = (bytes) =>
  bytes.length < HEADER_BYTES ? 0 : viewOf(bytes).getUint32(HEADER_AT.tick, true);

/**
 * @param {Uint8Array} bytes a frame
 * @returns {{phase: number, round: number, seconds: number}} seconds: left in the phase, rounded up
 */
export function readClock(bytes) {
  if (bytes.length < HEADER_BYTES) return { phase: -1, round: 0, seconds: 0 };
  const seconds = Math.ceil(viewOf(bytes).getUint16(HEADER_AT.timer, true) / 10);
  return { phase: bytes[HEADER_AT.phase], round: bytes[HEADER_AT.round], seconds };
}

/** @param {Uint8Array} bytes a frame @param {number} index below EXTRA_COUNT @returns {number} an extra number */
export const readExtra = (bytes, index) =>
  bytes.length < HEADER_BYTES ? 0 : viewOf(bytes).getUint16(HEADER_AT.extra + 2 * index, true);

/** @param {Uint8Array} bytes a frame @returns {number} player records that lie within its bytes */
export function playerCount(bytes) {
  if (bytes.length < HEADER_BYTES) return 0;
  return Math.min(
    bytes[HEADER_AT.players],
    Math.floor((bytes.length - HEADER_BYTES) / PLAYER_BYTES),
  );
}

/**
 * @param {Uint8Array} bytes a frame @param {number} slot below playerCount()
 * @returns {number} sequence number of the newest input in the frame, uint32
 */
export function readInputSequence(bytes, slot) {
  const at = HEADER_BYTES + slot * PLAYER_BYTES + PLAYER_AT.inputSequence;
  return (bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24)) >>> 0;
}

/** @param {Uint8Array} bytes a frame @returns {import('./frame.js').PlayerRecord[]} by slot, then those of the teams */
export function readPlayers(bytes) {
  const view = viewOf(bytes);
  return Array.from({ length: playerCount(bytes) }, (_, i) => readPlayer(view, i));
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
 * Calls a function for each event of a frame that is newer than the last known one. Each frame repeats the newest
 * events, oldest first and numbered with 16 bits, so a skipped frame loses no event.
 * @param {Uint8Array} bytes a frame
 * @param {number} seen the result for the frame before; -1 for the first frame, whose events are old
 * @param {(event: import('./frame.js').EventRecord) => void} each
 * @returns {number} sequence number of the newest event. When it goes back, because a match resumes from a checkpoint,
 *   the frame has no new events
 */
export function readEvents(bytes, seen, each) {
  const view = viewOf(bytes);
  const first = HEADER_BYTES + playerCount(bytes) * PLAYER_BYTES;
  const room = Math.floor((bytes.length - first) / EVENT_BYTES);
  const count = bytes.length < HEADER_BYTES ? 0 : Math.min(bytes[HEADER_AT.events], room);
  // A match starts with an empty list, so its first event is new.
  let newest = seen < 0 ? 0xffff : seen;
  for (let i = 0; i < count; i++) {
    const at = first + i * EVENT_BYTES;
    newest = view.getUint16(at + EVENT_AT.sequence, true);
    const ahead = ((newest - seen) << 16) >> 16; // the numbers wrap at 2^16
    if (seen >= 0 && ahead > 0) each(readEvent(view, at));
  }
  return newest;
}

/** @typedef {ReturnType<typeof frameLimitsOf>} FrameLimits what the frames of a game may have */

/**
 * Finds what is wrong with a frame that code of others has written. The other functions of this file, differences of
 * frames and the pages may be given a frame only if nothing is.
 * @param {Uint8Array} bytes a copy, which its writer cannot change any more
 * @param {FrameLimits} limits
 * @returns {string | undefined} a part of a sentence
 */
export function findFrameProblem(bytes, { slots, records, kinds, events, lines }) {
  const [version, type] = bytes;
  if (bytes.length < HEADER_BYTES || version !== FRAME_VERSION || type !== FRAME_TYPE) {
    return `it is no frame of version ${FRAME_VERSION}`;
  }
  if (bytes[HEADER_AT.phase] > PHASE.matchOver)
    return `there is no phase ${bytes[HEADER_AT.phase]}`;
  const players = bytes[HEADER_AT.players];
  if (players !== records) return `it has ${players} records of players and teams, not ${records}`;
  const eventCount = bytes[HEADER_AT.events];
  if (eventCount > MAX_EVENTS) return `it has ${eventCount} events, more than ${MAX_EVENTS}`;
  const bodyCount = bytes[HEADER_AT.bodies] | (bytes[HEADER_AT.bodies + 1] << 8);
  const firstEvent = HEADER_BYTES + players * PLAYER_BYTES;
  const firstBody = firstEvent + eventCount * EVENT_BYTES;
  const length = firstBody + bodyCount * BODY_BYTES;
  if (bytes.length !== length) return `it has ${bytes.length} bytes, its content ${length}`;
  const isOwner = (/** @type {number} */ owner) => owner < slots || owner === NO_OWNER;
  for (let at = firstEvent; at < firstBody; at += EVENT_BYTES) {
    if (bytes[at + EVENT_AT.type] >= events)
      return `there is no event ${bytes[at + EVENT_AT.type]}`;
    if (!isOwner(bytes[at + EVENT_AT.owner]))
      return `there is no slot ${bytes[at + EVENT_AT.owner]}`;
  }
  for (let at = firstBody; at < length; at += BODY_BYTES) {
    const kind = bytes[at + BODY_AT.kind];
    if (kind >= kinds) return `there is no kind ${kind}`;
    if (!isOwner(bytes[at + BODY_AT.owner])) return `there is no slot ${bytes[at + BODY_AT.owner]}`;
    const isNegative = ((bytes[at + BODY_AT.a + 1] | bytes[at + BODY_AT.b + 1]) & 0x80) !== 0;
    if (isNegative && !lines[kind]) return `a body of kind ${kind} has a negative size`;
  }
  return undefined;
}

/**
 * Returns the limits of a game's frames. records: of slots and teams; lines: by kind, whether it is drawn as a line,
 * whose size is a vector: other sizes are never negative.
 * @param {{players: {max: number}, teams?: readonly unknown[], view: {kinds: readonly {look?: string}[], events:
 *   readonly unknown[]}}} game
 */
export const frameLimitsOf = ({ players, teams = [], view }) => ({
  slots: players.max,
  records: players.max + teams.length,
  kinds: view.kinds.length,
  events: view.events.length,
  lines: view.kinds.map(({ look }) => look === 'wall' || look === 'beam'),
});

/**
 * Tells whether several teams, or several players but not all of them, have won a match.
 * @param {{winner: boolean}[]} players @param {{winner: boolean}[]} [teams] none in a game without teams
 */
export function isDraw(players, teams = []) {
  const winners = (teams.length > 0 ? teams : players).filter(({ winner }) => winner).length;
  return winners > 1 && (teams.length > 0 || winners < players.length);
}
