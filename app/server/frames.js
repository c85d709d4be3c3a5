/**
 * The frame pump: takes the newest frame of each match from shared memory and sends its bytes to all screens that watch
 * the match. It polls, because workers send no messages on the hot path. A poll without a new frame costs one atomic
 * load per match.
 */
import { DifferenceWriter } from '../game/difference-writer.js';
import { playerCount, readInputSequence } from '../game/frame-reader.js';

/** A quarter of a tick. Adds 2 ms on average to the latency of inputs. */
const POLL_MS = 4;

/** @typedef {import('../match/match.js').Match} Match */
/** @typedef {import('./connection.js').Connection} Connection */

export class FramePump {
  /** By match: its screens, with the number of frames without a gap that each has got. @type {Map<Match, Map<Connection, number>>} */
  #watchers = new Map();
  /** For matches with screens that read differences. @type {Map<Match, DifferenceWriter>} */
  #writers = new Map();
  /** @type {NodeJS.Timeout | undefined} */
  #timer;

  /**
   * @param {object} parts
   * @param {() => Match[]} parts.matches
   * @param {import('./latency.js').LatencyMeter} parts.latency
   * @param {import('./counters.js').Counters} parts.counters
   * @param {(match: Match, bytes: Uint8Array, now: number) => void} parts.onFrame called with each frame; the bytes are
   *   valid until it returns
   */
  constructor({ matches, latency, counters, onFrame }) {
    this.matches = matches;
    this.latency = latency;
    this.counters = counters;
    this.onFrame = onFrame;
  }

  /** Starts or stops polling. Call this when a match was added or removed. */
  update() {
    const needed = this.matches().length > 0;
    if (needed && !this.#timer) this.#timer = setInterval(() => this.poll(), POLL_MS);
    else if (!needed) this.close();
  }

  /** Returns the screens that watch a match. @param {Match} match */
  watchers(match) {
    return this.#watchers.get(match) ?? new Map();
  }

  /** Adds a screen to the watchers of a match. @param {Connection} screen @param {Match} match */
  watch(screen, match) {
    let screens = this.#watchers.get(match);
    if (!screens) this.#watchers.set(match, (screens = new Map()));
    screens.set(screen, 0);
  }

  /** Removes a screen from the watchers of a match. @param {Connection} screen @param {Match} match */
  unwatch(screen, match) {
    const screens = this.#watchers.get(match);
    screens?.delete(screen);
    if (screens?.size === 0) this.forget(match);
  }

  /** Removes all watchers of a match that has ended. @param {Match} match */
  forget(match) {
    this.#watchers.delete(match);
    this.#writers.delete(match);
  }

  poll() {
    for (const match of this.matches()) {
      const bytes = match.takeFrame();
      if (bytes) this.#forward(match, bytes);
    }
  }

  /** @param {Match} match @param {Uint8Array} bytes */
  #forward(match, bytes) {
    const now = performance.now();
    const sent = this.#send(match, bytes, now);
    const players = playerCount(bytes);
    const sequenceOf = (/** @type {number} */ slot) =>
      slot < players ? readInputSequence(bytes, slot) : 0;
    this.latency.recordFrame(match, sequenceOf, sent > 0, performance.now());
    this.onFrame(match, bytes, now);
  }

  /**
   * Sends a frame to the screens of a match.
   * @param {Match} match @param {Uint8Array} bytes @param {number} now ms
   * @returns {number} how many screens got it
   */
  #send(match, bytes, now) {
    const screens = this.#watchers.get(match);
    if (!screens) return 0;
    // One copy for all screens: the mailbox returns its buffer to the worker at the next poll, when a socket may
    // still be writing.
    const frame = Buffer.from(bytes);
    const difference = this.#difference(match, screens, bytes);
    let sent = 0;
    let sentBytes = 0;
    for (const [screen, frames] of screens) {
      const message = difference && screen.readsDifferences && frames >= 2 ? difference : frame;
      const isSent = screen.sendFrame(message, now);
      screens.set(screen, isSent ? frames + 1 : 0);
      if (!isSent) continue;
      sent++;
      sentBytes += message.length;
    }
    this.counters.frames(sent, screens.size - sent, sentBytes);
    return sent;
  }

  /**
   * Returns the frame as a difference from the two before it, if a screen can use that.
   * @param {Match} match @param {Map<Connection, number>} screens @param {Uint8Array} bytes
   * @returns {Buffer | null}
   */
  #difference(match, screens, bytes) {
    let isRead = false;
    for (const screen of screens.keys()) isRead ||= screen.readsDifferences;
    if (!isRead) {
      this.#writers.delete(match); // it has to get every frame
      return null;
    }
    let writer = this.#writers.get(match);
    if (!writer) this.#writers.set(match, (writer = new DifferenceWriter()));
    const difference = writer.write(bytes);
    return difference && Buffer.from(difference);
  }

  close() {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
