/**
 * The frame pump: takes the newest frame of each match from shared memory and sends its bytes to all screens that watch
 * the match. It polls, because workers send no messages on the hot path. A poll without a new frame costs one atomic
 * load per match.
 */
import { DifferenceWriter } from '../game/difference-writer.js';
import { playerCount, readInputSequence } from '../game/frame-reader.js';
import { BASES } from './replays.js';

/** A quarter of a tick. Adds 2 ms on average to the latency of inputs. */
const POLL_MS = 4;

/** Larger frames are taken less often, so that the main thread and the network stay free. */
const MAX_BYTES_PER_MS = 8 * 1024;

/** Screens of a match that get differences of their own, because they skip frames. Others get whole frames. */
const MAX_WRITERS = 8;

/**
 * @typedef {{frames: number, writer: DifferenceWriter | null}} Watcher
 *   frames: number of frames that the screen has got without a gap; writer: of differences between the frames that it
 *   has got, from its first gap until it has BASES frames without one
 */

/** @typedef {import('../match/match.js').Match} Match */
/** @typedef {import('./connection.js').Connection} Connection */

export class FramePump {
  /** By match. @type {Map<Match, Map<Connection, Watcher>>} */
  #watchers = new Map();
  /** For matches with screens. @type {Map<Match, DifferenceWriter>} */
  #writers = new Map();
  /** When the next frame of a match is taken, ms. @type {WeakMap<Match, number>} */
  #nextAt = new WeakMap();
  /** @type {NodeJS.Timeout | undefined} */
  #timer;

  /**
   * @param {object} parts @param {() => Match[]} parts.matches
   * @param {import('./metrics.js').Counters} parts.counters
   * @param {Pick<import('./replays.js').Replays, 'record'>} parts.replays
   * @param {(match: Match, bytes: Uint8Array, now: number) => void} parts.onFrame called with each frame; the bytes are
   *   valid until it returns
   */
  constructor({ matches, counters, replays, onFrame }) {
    this.matches = matches;
    this.counters = counters;
    this.replays = replays;
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
    screens.set(screen, { frames: 0, writer: null });
  }

  /** Sends the last frame of a paused match, which has no next one. @param {Connection} screen @param {Match} match */
  sendLast(screen, match) {
    const frame = match.worker.lastFrame;
    if (frame?.length) screen.sendFrame(Buffer.from(frame), performance.now());
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
    for (const match of this.matches()) this.take(match);
  }

  /** Sends the newest frame of a match, if there is one. @param {Match} match */
  take(match) {
    const now = performance.now();
    if (now < (this.#nextAt.get(match) ?? 0)) return;
    const bytes = match.takeFrame();
    if (!bytes) return;
    this.#nextAt.set(match, now + bytes.length / MAX_BYTES_PER_MS);
    const sent = this.#send(match, bytes, now);
    const players = playerCount(bytes);
    const sequenceOf = (/** @type {number} */ slot) =>
      slot < players ? readInputSequence(bytes, slot) : 0;
    this.counters.latency.recordFrame(match, sequenceOf, sent > 0, performance.now());
    this.onFrame(match, bytes, now);
  }

  /**
   * Sends a frame to the screens of a match. A screen that is behind skips frames.
   * @param {Match} match @param {Uint8Array} bytes @param {number} now ms
   * @returns {number} how many screens got it
   */
  #send(match, bytes, now) {
    const screens = this.#watchers.get(match);
    if (!screens) return 0;
    let writer = this.#writers.get(match);
    if (!writer) this.#writers.set(match, (writer = new DifferenceWriter()));
    const ready = this.#listReady(screens, writer, now);
    // One copy for all screens: the mailbox returns its buffer to the worker at the next poll, when a socket may
    // still be writing.
    const frame = Buffer.from(bytes);
    const difference = copyOf(writer.write(bytes));
    this.replays.record(match, frame, difference);
    let sentBytes = 0;
    for (const [screen, watcher] of ready) {
      const own = copyOf(watcher.writer?.write(bytes));
      const isInStep = screen.readsDifferences && watcher.frames >= BASES;
      const message = (isInStep ? difference : own) ?? frame;
      screen.sendFrame(message, now);
      if (++watcher.frames >= BASES) watcher.writer = null;
      sentBytes += message.length;
    }
    this.counters.framesSent += ready.length;
    this.counters.framesSkipped += screens.size - ready.length;
    this.counters.bytesSent += sentBytes;
    return ready.length;
  }

  /**
   * Lists the screens that have room for a frame. The first ones of the others get a writer of their own.
   * @param {Map<Connection, Watcher>} screens @param {DifferenceWriter} writer @param {number} now ms
   */
  #listReady(screens, writer, now) {
    const ready = [];
    let writers = 0;
    for (const entry of screens) {
      const [screen, watcher] = entry;
      if (watcher.writer) writers++;
      if (screen.hasRoom(now)) {
        ready.push(entry);
        continue;
      }
      if (screen.readsDifferences && watcher.frames >= BASES && writers < MAX_WRITERS) {
        watcher.writer = writer.clone();
        writers++;
      }
      watcher.frames = 0;
    }
    return ready;
  }

  close() {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

/** Copies a difference, which is valid only until the next one. @param {Uint8Array | null | undefined} bytes */
const copyOf = (bytes) => bytes && Buffer.from(bytes);
