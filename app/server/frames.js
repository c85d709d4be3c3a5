/**
 * The frame pump: takes each match's newest frame out of shared memory and hands the same bytes to
 * every screen that watches it. Polled, because the hot path carries no messages; a poll that finds
 * nothing costs one atomic load a match.
 */
import { playerCount, readInputSequence } from '../game/frame-reader.js';

/** A quarter of a tick: it adds 2 ms on average to what a player waits. */
const POLL_MS = 4;

/** @typedef {import('../match/match.js').Match} Match */
/** @typedef {import('./connection.js').Connection} Connection */

export class FramePump {
  /** @type {Map<Match, Set<Connection>>} */
  #watchers = new Map();
  /** @type {NodeJS.Timeout | undefined} */
  #timer;

  /**
   * @param {object} parts
   * @param {() => Match[]} parts.matches
   * @param {import('./latency.js').LatencyMeter} parts.latency
   * @param {import('./metrics.js').Counters} parts.counters
   * @param {(match: Match, bytes: Uint8Array, now: number) => void} parts.onFrame called with every
   *   frame; the bytes are only good until it returns
   */
  constructor({ matches, latency, counters, onFrame }) {
    this.matches = matches;
    this.latency = latency;
    this.counters = counters;
    this.onFrame = onFrame;
  }

  /** Polls while there is a match, and not otherwise. Call when matches came or went. */
  update() {
    const needed = this.matches().length > 0;
    if (needed && !this.#timer) this.#timer = setInterval(() => this.poll(), POLL_MS);
    else if (!needed) this.close();
  }

  /** @param {Match} match */
  watchers(match) {
    return this.#watchers.get(match) ?? new Set();
  }

  /** @param {Connection} screen @param {Match} match */
  watch(screen, match) {
    let screens = this.#watchers.get(match);
    if (!screens) this.#watchers.set(match, (screens = new Set()));
    screens.add(screen);
  }

  /** @param {Connection} screen @param {Match} match */
  unwatch(screen, match) {
    const screens = this.#watchers.get(match);
    screens?.delete(screen);
    if (screens?.size === 0) this.#watchers.delete(match);
  }

  /** @param {Match} match that has ended */
  forget(match) {
    this.#watchers.delete(match);
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
    const screens = this.#watchers.get(match);
    let sent = 0;
    if (screens) {
      // One copy for all: the mailbox gives its buffer back to the worker at the next poll, while a
      // socket may still be writing.
      const frame = Buffer.from(bytes);
      for (const screen of screens) if (screen.sendFrame(frame, now)) sent++;
      this.counters.frames(sent, screens.size - sent, sent * frame.length);
    }
    const players = playerCount(bytes);
    const shown = (/** @type {number} */ slot) =>
      slot < players ? readInputSequence(bytes, slot) : 0;
    this.latency.shown(match, shown, sent > 0, performance.now());
    this.onFrame(match, bytes, now);
  }

  close() {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}
