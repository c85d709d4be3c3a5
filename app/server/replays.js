/**
 * Keeps the last seconds of each match that a screen of this TV watches, as the frames and differences that screens get
 * anyway, and serves them. Nothing is encoded for it. game/replay-file.js describes the format.
 */
import { PitvError } from '../errors.js';
import { readTick } from '../game/frame-reader.js';
import { RECORD, recordBytes, replayHead, replayName, writeRecord } from '../game/replay-file.js';
import { ClientCounts } from '../limits/client-connections.js';
import { clientKey } from '../limits/client-key.js';
import { LIMITS } from '../limits/table.js';
import { hashToken } from '../lobby/tokens.js';
import { bearerToken } from './admin.js';
import { describeGame, slotsOf } from './client-messages.js';

const TICK_HZ = 60;
/** A difference needs this many frames before it. */
export const BASES = 2;
/** A new block begins after this time, with whole frames. Blocks are dropped as a whole. */
const BLOCK_TICKS = 2 * TICK_HZ;
/** ... or when it has this part of the memory of a match. */
const BLOCK_SHARE = 1 / 4;
/** Larger frames are not kept: a block has room for two of them and some differences. */
const MAX_FRAME_SHARE = 1 / 9;
const MIN_BLOCK_BYTES = 4096;
/** A longer pause between two frames starts the recording again: a replay has no gaps. */
const MAX_GAP_TICKS = TICK_HZ;

/** @typedef {import('../match/match.js').Match} Match */

/** Records of one match. */
class Block {
  length = 0;
  frames = 0;

  /** @param {number} tick of the first frame @param {Uint8Array} bytes to write to */
  constructor(tick, bytes) {
    this.tick = tick;
    this.bytes = bytes;
  }

  /**
   * Adds a record, if there is room for it.
   * @param {number} type one of RECORD @param {Uint8Array} content @param {number} maxBytes of the block
   * @returns {boolean} whether there is
   */
  add(type, content, maxBytes) {
    const end = this.length + recordBytes(content);
    if (end > maxBytes) return false;
    if (end > this.bytes.length) {
      const { bytes } = this;
      this.bytes = new Uint8Array(Math.min(end + (end >> 1), maxBytes));
      this.bytes.set(bytes.subarray(0, this.length));
    }
    writeRecord(this.bytes, this.length, type, content);
    this.length = end;
    if (type === RECORD.frame) this.frames++;
    return true;
  }
}

/**
 * @typedef {object} Recording
 * @property {Match} match @property {Match['game']} game
 * @property {Block[]} blocks the oldest first
 * @property {number} lastTick
 * @property {boolean} isSplit whether the next frame begins a block
 */

export class Replays {
  /** By the id of the match. @type {Map<Match['id'], Recording>} */
  #recordings = new Map();

  /**
   * @param {Pick<import('node:events').EventEmitter, 'on'>} lobby
   * @param {{seconds?: number, bytes?: number, allBytes?: number, keptMs?: number}} [limits]
   */
  constructor(lobby, limits = {}) {
    this.keptTicks = (limits.seconds ?? LIMITS.replaySeconds.value) * TICK_HZ;
    this.bytes = limits.bytes ?? LIMITS.replayBytes.value;
    this.allBytes = limits.allBytes ?? LIMITS.allReplayBytes.value;
    this.keptMs = limits.keptMs ?? LIMITS.replayKept.value;
    lobby.on('slots', (/** @type {Match} */ match) => {
      const recording = this.#recordings.get(match.id);
      if (recording) recording.isSplit = true;
    });
    lobby.on('ended', (/** @type {Match} */ match) => {
      if (!this.#recordings.has(match.id)) return;
      const forget = () => {
        if (this.#recordings.get(match.id)?.match === match) this.#recordings.delete(match.id);
      };
      setTimeout(forget, this.keptMs).unref();
    });
  }

  /** Memory of all recordings. */
  get usedBytes() {
    let sum = 0;
    for (const { blocks } of this.#recordings.values()) sum += bytesOf(blocks);
    return sum;
  }

  /**
   * Records a frame. Call it with each frame that screens get.
   * @param {Match} match @param {Uint8Array} frame
   * @param {Uint8Array | null | undefined} difference the same frame, from the two that were recorded before
   */
  record(match, frame, difference) {
    if (frame.length > this.bytes * MAX_FRAME_SHARE) return;
    const tick = readTick(frame);
    let recording = this.#recordings.get(match.id);
    const gap = tick - (recording?.lastTick ?? 0);
    const isSame = recording?.match === match && recording.game === match.game;
    if (!recording || !isSame || gap <= 0 || gap >= MAX_GAP_TICKS) {
      recording = { match, game: match.game, blocks: [], lastTick: tick, isSplit: true };
      this.#recordings.set(match.id, recording);
    }
    recording.lastTick = tick;
    const last = recording.blocks[recording.blocks.length - 1];
    if (!recording.isSplit && tick - last.tick < BLOCK_TICKS) {
      const content = (last.frames >= BASES && difference) || frame;
      if (last.add(RECORD.frame, content, this.#blockBytes)) return;
    }
    this.#addBlock(recording, tick).add(RECORD.frame, frame, this.#blockBytes);
  }

  get #blockBytes() {
    return Math.floor(this.bytes * BLOCK_SHARE);
  }

  /** @param {Recording} recording @param {number} tick @returns {Block} */
  #addBlock(recording, tick) {
    const { blocks, match } = recording;
    const isOver = () =>
      blocks[1].tick <= tick - this.keptTicks || bytesOf(blocks) > this.bytes * (1 - BLOCK_SHARE);
    let dropped;
    while (blocks.length > 1 && isOver()) dropped = blocks.shift();
    // Its memory is used again: new memory a few times a second would fill the heap until it is collected.
    const bytes = dropped?.bytes ?? new Uint8Array(blocks.at(-1)?.bytes.length ?? MIN_BLOCK_BYTES);
    const block = new Block(tick, bytes);
    block.add(RECORD.slots, Buffer.from(JSON.stringify(slotsOf(match))), this.#blockBytes);
    blocks.push(block);
    recording.isSplit = false;
    while (this.usedBytes > this.allBytes) {
      const all = [...this.#recordings.values()];
      const ended = all.find((each) => each.match.end && each !== recording);
      const most = all.reduce((a, b) => (bytesOf(b.blocks) > bytesOf(a.blocks) ? b : a));
      if (ended) this.#recordings.delete(ended.match.id);
      else if (most.blocks.length > 1) most.blocks.shift();
      else break;
    }
    return block;
  }

  /**
   * Returns the replay of a match, which may have ended a moment ago.
   * @param {unknown} id
   * @returns {{game: Match['game'], parts: Uint8Array[]} | undefined} undefined: nothing of the match is recorded
   */
  get(id) {
    const recording = this.#recordings.get(Number(id));
    if (!recording) return undefined;
    const { game, match, blocks } = recording;
    const head = replayHead({ match: match.id, savedAt: Date.now(), game: describeGame(game) });
    // Copies, because the memory of blocks is used again while a response is sent.
    return { game, parts: [head, ...blocks.map(({ bytes, length }) => bytes.slice(0, length))] };
  }
}

/** @param {Block[]} blocks */
const bytesOf = (blocks) => blocks.reduce((sum, { bytes }) => sum + bytes.length, 0);

/**
 * Serves /api/matches/ID/replay to everybody who may watch the match: with --screen-access code, to screens, players
 * and the admin, who prove it with their token.
 * @param {import('./http.js').HttpServices} services
 * @returns {import('express').RequestHandler<{id: string}>}
 */
export function replayRoute(services) {
  const { lobby, admin, addresses, screenTokens, settings } = services;
  const downloads = new ClientCounts({
    max: LIMITS.replayDownloads.value,
    maxPerClient: LIMITS.replayDownloadsPerAddress.value,
  });
  const mayWatch = async (/** @type {import('express').Request<any>} */ request) => {
    const token = bearerToken(request);
    return (
      settings.screenAccess !== 'code' ||
      screenTokens.has(hashToken(token).toString('hex')) ||
      lobby.players.find(token) !== undefined ||
      (await admin.identify(request)) !== undefined
    );
  };
  return async (request, response) => {
    const client = clientKey(addresses.of(request));
    if (!downloads.take(client)) {
      const sentence = 'Too many replays are being downloaded. Wait a moment, then try again.';
      throw new PitvError('PITV_REPLAY_BUSY', sentence, { details: { retryAfterS: 5 } });
    }
    response.once('close', () => downloads.release(client)); // before the client can leave
    if (!(await mayWatch(request))) {
      const sentence = 'Only screens and players of this TV may see its matches.';
      throw new PitvError('PITV_NOT_YOURS', sentence);
    }
    const { id } = request.params;
    const replay = services.hub.replays.get(id);
    if (!replay) {
      lobby.match(id);
      const sentence = 'No screen has shown this match yet. Try again in a second.';
      throw new PitvError('PITV_REPLAY_EMPTY', sentence);
    }
    const name = `${replayName(replay.game.id, new Date())}.replay`;
    response.attachment(name).type('application/octet-stream');
    const bytes = replay.parts.reduce((sum, { length }) => sum + length, 0);
    response.set('Content-Length', String(bytes));
    for (const part of replay.parts) response.write(part);
    response.end();
  };
}
