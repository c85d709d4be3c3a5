/** The worker of a match. When one fails, another one resumes from the newest checkpoint in the mailbox. */
import { EventEmitter } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { PitvError, isShortage, messageOf } from '../errors.js';
import { placeOf } from '../errors/place.js';
import { findFrameProblem } from '../game/frame-reader.js';
import { Failures, describeProblem } from './failures.js';

/** Pause before a worker is started again when the last one did not start. */
const RETRY_MS = 200;

/** @typedef {{bytes: Uint8Array, tick: number}} Checkpoint */
/** @typedef {import('../engine/index.js').WorkerHandle} WorkerHandle */
/**
 * @typedef {EventEmitter & Pick<ResilientWorker, 'mailbox' | 'isOwn' | 'ended' | 'running' | 'restarts' | 'pid' |
 *   'problem' | 'place' | 'checkpoint' | 'start' | 'end' | 'stop' | 'pause' | 'close' | 'replace' | 'setModule' |
 *   'takeFrame' | 'lastFrame' | 'sendInputs'> & {epoch?: number}} MatchWorker what a match needs: this one, or one that
 *   may run on another TV (fleet/fleet-worker.js), whose owners epoch counts
 */
/**
 * @typedef {object} ResilientWorkerOptions
 * @property {import('../engine/index.js').Engine} engine
 * @property {string} url of the game's module
 * @property {import('../engine/lock.js').Lock} [lock] of a game of others
 * @property {string} name shown in statistics
 * @property {import('../engine/mailbox/mailbox.js').MailboxSizes} sizes
 * @property {import('../game/frame-reader.js').FrameLimits} frames what its frames may have, for a game of others
 * @property {Record<string, number>} options of the game
 * @property {import('pino').Logger} log
 * @property {{failures: number, failuresMs: number, stopGraceMs: number}} limits see limits.js
 */

/**
 * Emits 'mailbox' when the mailbox has been created, 'running' when a worker has started, 'restart'
 * ({reason, shortage}) when one has failed, 'warning' (sentence), 'paused' (by) after pause(), and once 'end' (reason):
 * 'done', or 'failed' when workers have failed too often, or that of end(). Emits nothing after stop().
 */
export class ResilientWorker extends EventEmitter {
  /** @type {import('../engine/mailbox/mailbox.js').Mailbox | undefined} */
  #mailbox;
  /** @type {WorkerHandle | undefined} */
  #worker;
  /** @type {Checkpoint | undefined} of a saved match */
  #resumeCheckpoint;
  #failures;
  /** @type {Promise<unknown>} the current launch */
  #launching = Promise.resolve();
  /** @type {Promise<void>} the last replace() */
  #replacing = Promise.resolve();
  #abort = new AbortController();
  ended = false;
  /** The last frame of a game of others, in #copy. @type {Uint8Array | undefined} */
  #checkedFrame;
  /** For frames of a game of others, which may change those in the mailbox. @type {Uint8Array | undefined} */
  #copy;
  restarts = 0;
  /** Why the last worker failed, as a sentence. @type {string | undefined} */
  problem;
  /** File and line of that failure, such as 'pong.js:12'. @type {string | undefined} */
  place;

  /** @param {ResilientWorkerOptions} options */
  constructor({ engine, url, lock, name, sizes, frames, options, log, limits }) {
    super();
    this.engine = engine;
    this.frames = frames;
    this.request = { url, lock, name, sizes, options };
    this.log = log;
    this.limits = limits;
    this.#failures = new Failures(limits);
  }

  /** The shared memory, from 'mailbox' to close(). It is the same for each worker. */
  get mailbox() {
    return this.#mailbox;
  }
  get running() {
    return this.#worker !== undefined;
  }
  /** Whether this TV runs the match, and so ends, records and saves it. @returns {boolean} */
  get isOwn() {
    return true;
  }
  /** The worker's process, 0 while there is no worker. */
  get pid() {
    return this.#worker?.pid ?? 0;
  }
  /** The newest checkpoint: the one of the saved match while the engine is still opening. */
  get checkpoint() {
    return this.#mailbox ? this.#mailbox.checkpoint : this.#resumeCheckpoint;
  }

  /**
   * Makes the mailbox and starts the first worker, as soon as the engine is open. The start of a saved match is tried
   * again, like that of any worker after a failure.
   * @param {Checkpoint} [checkpoint] of a saved match
   * @throws {PitvError} PITV_MATCH_OVER after stop(), or the engine's error when the first worker of a new match
   *   does not start
   */
  async start(checkpoint) {
    this.#resumeCheckpoint = checkpoint;
    if (!this.engine.isOpen) await this.engine.open();
    if (this.ended) throw matchOver();
    this.#mailbox = this.engine.createMailbox(this.request.sizes);
    if (checkpoint) this.#mailbox.putCheckpoint(checkpoint.bytes, checkpoint.tick);
    this.emit('mailbox');
    this.#launching = checkpoint ? this.#relaunch(0) : this.#launch();
    try {
      await this.#launching;
    } catch (error) {
      this.#describe('crashed', error);
      throw error;
    }
  }

  async #launch() {
    const { url, ...request } = this.request;
    const { signal } = this.#abort;
    const worker = await this.engine.start(url, { ...request, mailbox: this.#mailbox, signal });
    this.#worker = worker;
    worker.on('exit', (exit) => this.#onExit(worker, exit));
    worker.on('warning', (sentence) => this.emit('warning', sentence));
    this.log.info({ pid: worker.pid, startup: worker.startup }, 'the match runs');
    this.emit('running');
  }

  /** @param {WorkerHandle} worker @param {import('../engine/index.js').Exit} exit */
  #onExit(worker, exit) {
    if (worker !== this.#worker) return;
    this.#worker = undefined;
    if (this.ended) return;
    if (exit.reason === 'done') this.#end('done');
    else this.#fail(exit.reason, exit);
  }

  /** @param {string} reason @param {{error?: unknown, code?: unknown, signal?: unknown}} exit */
  #fail(reason, { error, code, signal }) {
    const { shortage, last } = this.#failures.add(error, this.request.lock !== undefined);
    this.#describe(reason, error);
    const { count: failures } = this.#failures;
    this.log.warn(
      { reason, error: error && messageOf(error), at: this.place, code, signal, failures },
      last
        ? 'the worker failed too often, or broke a rule'
        : 'the worker failed; the match resumes from its checkpoint',
    );
    this.restarts++;
    this.emit('restart', { reason, shortage });
    if (last) this.#end('failed');
    else this.#launching = this.#relaunch(shortage ? RETRY_MS : 0);
  }

  /** @param {string} reason @param {unknown} error */
  #describe(reason, error) {
    this.place = placeOf(error, this.request.url);
    this.problem = describeProblem(reason, error, this.place);
  }

  /** @param {number} waitMs */
  async #relaunch(waitMs) {
    if (waitMs > 0) await delay(waitMs);
    if (this.ended) return;
    try {
      await this.#launch();
    } catch (error) {
      if (!this.ended && !isShortage(error)) await delay(RETRY_MS);
      if (!this.ended) this.#fail('crashed', { error });
    }
  }

  /** Takes the newest frame. A game that writes a wrong one ends its match. @returns {Uint8Array | undefined} */
  takeFrame() {
    const written = this.#mailbox?.takeFrame()?.bytes;
    if (!written) return undefined;
    let frame = written;
    if (this.request.lock) {
      this.#copy ??= new Uint8Array(this.request.sizes.frameBytes);
      this.#copy.set(written);
      frame = this.#copy.subarray(0, written.length);
    }
    const problem = findFrameProblem(frame, this.frames);
    if (!problem) {
      if (this.request.lock) this.#checkedFrame = frame;
      return frame;
    }
    this.#checkedFrame = undefined; // it lies in the same memory
    const error = new PitvError('PITV_FRAME_INVALID', `A frame is wrong: ${problem}.`);
    void this.#worker?.terminate('crashed', error);
    return undefined;
  }

  /** The newest frame, valid until the next call of takeFrame(). */
  get lastFrame() {
    const newest = this.takeFrame();
    if (newest || this.request.lock) return newest ?? this.#checkedFrame;
    return this.#mailbox?.lastFrame.bytes;
  }

  /**
   * Sets the module of the next worker, and forgets the failures of the last one.
   * @param {{url: string, lock?: import('../engine/lock.js').Lock}} module
   */
  setModule({ url, lock }) {
    Object.assign(this.request, { url, lock });
    this.#failures.clear();
  }

  /** Has another worker continue from the last checkpoint. @param {() => void} onStopped called between them */
  async replace(onStopped) {
    const next = this.#replacing.then(async () => {
      for (let last; last !== this.#launching;) await (last = this.#launching).catch(() => {});
      const worker = this.#worker;
      if (this.ended) return;
      if (!worker) return onStopped(); // the engine is still opening
      this.#worker = undefined; // its end is no failure
      this.#launching = (async () => {
        await worker.stop({ graceMs: this.limits.stopGraceMs });
        if (this.ended) return;
        onStopped();
        await this.#relaunch(0);
      })();
      await this.#launching;
    });
    this.#replacing = next.catch(() => {});
    return next;
  }

  /** @param {'done' | 'failed'} reason */
  #end(reason) {
    this.ended = true;
    this.emit('end', reason);
  }

  /** @param {import('./results.js').EndReason} reason */
  async end(reason) {
    await this.stop();
    this.emit('end', reason);
  }

  /**
   * Has the worker stand still between two ticks, wherever it runs.
   * @param {string} [by] the name of who pauses, '' for a screen; undefined: it goes on
   */
  pause(by) {
    this.#mailbox?.pause(by !== undefined);
    if (this.#mailbox) this.emit('paused', by);
  }

  /** Has new inputs reach the worker at once. It reads them in its mailbox. */
  sendInputs() {}

  /** Stops the worker after its last checkpoint. The mailbox stays until close(). Never hangs. */
  async stop() {
    this.ended = true;
    if (!this.#worker) this.#abort.abort(); // a worker that is still starting gets no grace time
    await this.#launching.catch(() => {});
    await this.#worker?.stop({ graceMs: this.limits.stopGraceMs });
    this.#worker = undefined;
  }

  /** Frees the mailbox. Its memory may be unmapped at once. */
  close() {
    this.ended = true;
    const mailbox = this.#mailbox;
    this.#mailbox = undefined;
    if (mailbox) this.engine.freeMailbox(mailbox);
  }
}

/** Makes the error for a match that is over. */
export const matchOver = () => new PitvError('PITV_MATCH_OVER', 'The match is over.');
