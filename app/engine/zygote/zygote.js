/** Keeps a zygote process ready and forks children from it. */
import { EventEmitter } from 'node:events';
import { PitvError, isShortage } from '../../errors.js';
import { boolean, checkOptions } from '../../options.js';
import { native } from '../../native/native.js';
import { settleWithin } from '../worker/time-limit.js';
import { ForkedProcess } from './forked-process.js';
import { ZygoteProcess } from './zygote-process.js';

/** @typedef {import('./options.js').ForkOptions} ForkOptions */

/**
 * Delay after a failed warm-up, and after the second of two early deaths in a row. It doubles each time up to
 * MAX_RETRY_MS.
 */
const RETRY_MS = 250;
const MAX_RETRY_MS = 30_000;
/** Delay after a warm-up that lacked descriptors, processes or memory: they may be back at any time. */
const SHORTAGE_RETRY_MS = 1000;
/** A zygote that dies within this time after it was ready has died early. */
const EARLY_DEATH_MS = 60_000;
/** How long close() waits for the reports of the children's exits. */
const CLOSE_TIMEOUT_MS = 2000;

/** @param {number} failures so far */
const retryMs = (failures) => Math.min(RETRY_MS * 2 ** failures, MAX_RETRY_MS);

/**
 * Keeps one zygote process ready. When it dies, its children continue and another process is warmed up: at once, or
 * after a delay when zygotes die early repeatedly.
 *
 * Emits
 * - 'ready' ({pid, warmMs, closed, warnings, draft}) for each zygote process. `closed` lists what the module had left
 *   open, `warnings` the warnings of its rehearse();
 * - 'died' ({pid, code, signal}) when a zygote process ends unexpectedly;
 * - 'failed' (error) when a zygote process could not be warmed up.
 */
export class Zygote extends EventEmitter {
  #moduleUrl;
  #options;
  /** @type {Set<ZygoteProcess>} those that are alive or have live children */
  #processes = new Set();
  /** @type {Set<ForkedProcess>} */
  #children = new Set();
  /**
   * The process that gets the next request; a promise while it warms up.
   * @type {ZygoteProcess | Promise<ZygoteProcess>}
   */
  #current;
  /** The process that is ready. @type {ZygoteProcess | undefined} */
  #process;
  #isDraft = false;
  #readyAt = 0;
  /** @type {Promise<unknown> | undefined} the warm-up of the process that replaces a draft */
  #replacingDraft;
  #lastId = 0;
  #closed = false;
  /** @type {Promise<void> | undefined} */
  #closing;
  #failures = 0;
  /** Early deaths in a row. */
  #earlyDeaths = 0;

  /** @param {string} moduleUrl @param {import('./options.js').CheckedZygoteOptions} options */
  constructor(moduleUrl, options) {
    super();
    native();
    this.#moduleUrl = moduleUrl;
    this.#options = options;
    this.#current = this.#warmUp();
  }

  /** Process id of the zygote that is ready; 0 while there is none. */
  get pid() {
    return this.#process?.pid ?? 0;
  }
  /** Requested and running children. */
  get children() {
    return [...this.#children];
  }

  /**
   * Waits until a zygote can fork.
   * @param {{thorough?: boolean}} [options] thorough: also wait for the zygote that replaces a draft
   * @returns {Promise<void>}
   * @throws {PitvError} PITV_ZYGOTE_FAILED; PITV_OPTION_INVALID
   */
  async ready(options = {}) {
    const { thorough } = checkOptions('ready()', { thorough: boolean(false) }, options);
    await this.#current;
    if (thorough) await this.#replacingDraft;
  }

  /** Warms up a draft if there is one, else a zygote. @returns {Promise<ZygoteProcess>} */
  #warmUp() {
    const draft = this.#options.draft !== undefined;
    const warming = this.#startProcess(draft);
    warming.then(
      () => this.#isDraft && !this.#closed && this.#replaceDraft(),
      (error) => this.#retryLater(error, () => (this.#current = this.#warmUp())),
    );
    return warming;
  }

  /** Warms up the zygote that replaces a draft. */
  #replaceDraft() {
    const draft = this.#process;
    this.#replacingDraft ??= this.#startProcess(false)
      .then(() => draft?.ended)
      .catch((error) => this.#retryLater(error, () => this.#isDraft && this.#replaceDraft()))
      .finally(() => (this.#replacingDraft = undefined));
  }

  /** Reports a failed warm-up and calls retry() after a delay. @param {unknown} error @param {() => void} retry */
  #retryLater(error, retry) {
    if (this.#closed) return;
    this.emit('failed', error);
    this.#runAfter(isShortage(error) ? SHORTAGE_RETRY_MS : retryMs(this.#failures++), retry);
  }

  /** @param {number} delayMs @param {() => void} action */
  #runAfter(delayMs, action) {
    setTimeout(() => !this.#closed && action(), delayMs).unref();
  }

  /**
   * Spawns a process, has it warm up and makes it the current one.
   * @param {boolean} draft
   * @returns {Promise<ZygoteProcess>} the current process
   */
  async #startProcess(draft) {
    const began = performance.now();
    const zygote = new ZygoteProcess(this.#options);
    this.#processes.add(zygote);
    zygote.ended.then((end) => this.#onEnd(zygote, end));
    const { rehearse, args, draft: draftArgs } = this.#options;
    const brief = draft || !rehearse;
    const result = await zygote.warm(this.#moduleUrl, draft ? draftArgs : args, brief);
    if (!draft) this.#failures = 0;
    const old = this.#process;
    if (draft && old) {
      // The zygote that replaces the draft was ready first.
      this.#releaseIfUnused(zygote);
      return old;
    }
    this.#process = zygote;
    this.#isDraft = draft;
    this.#readyAt = performance.now();
    this.#current = zygote;
    this.emit('ready', { pid: zygote.pid, warmMs: performance.now() - began, draft, ...result });
    // The children of the old zygote continue and announce their exit status themselves. Kept alive, the old zygote and
    // its spares would only use memory. But children that are not trusted end with their zygote.
    const isNeeded = this.children.some((child) => child.zygote === old && child.endsWithZygote);
    if (isNeeded) old?.spares.close();
    else old?.kill();
    return zygote;
  }

  /** @param {ZygoteProcess} zygote @param {import('./process-handle.js').ProcessEnd} end */
  #onEnd(zygote, end) {
    if (this.#process === zygote && !this.#closed) {
      this.#process = undefined;
      this.emit('died', { pid: zygote.pid, ...end });
      this.#replaceDead();
    }
    this.#releaseIfUnused(zygote);
  }

  /**
   * Replaces a dead zygote: at once, or after a delay if zygotes died early repeatedly. During the delay starts fail.
   */
  #replaceDead() {
    const early = performance.now() - this.#readyAt < EARLY_DEATH_MS;
    this.#earlyDeaths = early ? this.#earlyDeaths + 1 : 0;
    const warmUp = () => {
      if (!this.#process) this.#current = this.#warmUp(); // the zygote that replaces a draft may be ready by now
    };
    if (this.#earlyDeaths < 2) {
      warmUp();
      return;
    }
    const delayMs = retryMs(this.#earlyDeaths - 2);
    const sentence = `${this.#earlyDeaths} zygotes in a row died soon after they were ready; the next one is warmed up in ${delayMs} ms.`;
    this.#current = Promise.reject(new PitvError('PITV_ZYGOTE_FAILED', sentence));
    this.#current.catch(() => {}); // callers of fork() get the error
    this.#runAfter(delayMs, warmUp);
  }

  /**
   * Releases a replaced or dead zygote after its last child has ended. Until then its lifeline must stay open, and a
   * live zygote reports its children's exits.
   * @param {ZygoteProcess} zygote
   */
  #releaseIfUnused(zygote) {
    if (zygote === this.#process || this.children.some((child) => child.zygote === zygote)) return;
    this.#processes.delete(zygote);
    zygote.release();
  }

  /**
   * Forks a child, which runs the module's default export with `args`. Waits while a zygote is warmed up.
   * @param {unknown} [args] structured-clonable
   * @param {ForkOptions} [options]
   * @returns {Promise<ForkedProcess>} resolves when the module's code runs
   * @throws {PitvError} PITV_ZYGOTE_FAILED: there is no zygote; PITV_ZYGOTE_DIED: several zygotes died meanwhile;
   *   PITV_ZYGOTE_FORK: fork() failed; PITV_ZYGOTE_CHILD: the child could not be set up or ended before its code ran;
   *   PITV_ZYGOTE_CLOSED; PITV_OPTION_INVALID
   */
  async fork(args, options) {
    return this.begin(args, options).started;
  }

  /**
   * Forks a child like fork(), but returns its handle before the child runs. See `started`, `exited` and kill() of the
   * handle.
   * @param {unknown} [args] @param {ForkOptions} [options]
   * @param {Promise<unknown>} [after] the child is requested when it resolves
   * @returns {ForkedProcess}
   * @throws {PitvError} PITV_OPTION_INVALID, before a child is requested
   */
  begin(args, options = {}, after) {
    const getZygote = () => after?.then(() => this.#getCurrent()) ?? this.#getCurrent();
    const child = new ForkedProcess(++this.#lastId, args, options, getZygote);
    this.#children.add(child);
    child.exited.then(() => {
      this.#children.delete(child);
      if (child.zygote) this.#releaseIfUnused(child.zygote);
    });
    return child;
  }

  /** @returns {ZygoteProcess | Promise<ZygoteProcess>} */
  #getCurrent() {
    const checkOpen = (/** @type {ZygoteProcess} */ zygote) => {
      if (!this.#closed) return zygote;
      throw new PitvError('PITV_ZYGOTE_CLOSED', 'This zygote has been closed.');
    };
    const current = this.#current;
    return current instanceof Promise ? current.then(checkOpen) : checkOpen(current);
  }

  /** Kills the zygote and all children. Idempotent; never hangs. @returns {Promise<void>} */
  close() {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close() {
    this.#closed = true;
    for (const child of this.children) child.kill();
    const exits = Promise.all(this.children.map((child) => child.exited));
    // The zygote reports how they ended. After the timeout it is killed as well.
    await settleWithin(CLOSE_TIMEOUT_MS, exits, () => new Error('late')).catch(() => {});
    const processes = [...this.#processes];
    for (const zygote of processes) zygote.release();
    await Promise.all(processes.map((zygote) => zygote.ended));
    await exits;
  }
}
