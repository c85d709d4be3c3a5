/** One zygote that is kept warm, and the children that it forks. */
import { EventEmitter } from 'node:events';
import { PitvError } from '../../errors.js';
import { boolean, checkOptions } from '../../options.js';
import { native } from '../../native/native.js';
import { ForkedProcess } from './forked-process.js';
import { ZygoteProcess } from './zygote-process.js';

/** @typedef {import('./options.js').ForkOptions} ForkOptions */

/**
 * Between two vain attempts to warm one up, and before the next one after two that died young; doubled each
 * time, up to the most.
 */
const RETRY_MS = 250;
const MAX_RETRY_MS = 30_000;
/** One that dies sooner after it was ready has died young. */
const YOUNG_MS = 60_000;
/** How long close() waits to be told of the children's ends. */
const CLOSE_MS = 2000;

/** @param {number} attempts in vain so far */
const retryMs = (attempts) => Math.min(RETRY_MS * 2 ** attempts, MAX_RETRY_MS);

/**
 * Keeps one zygote process warm; when it dies, its children go on and another one is warmed at once, or
 * after a pause when zygotes die again and again.
 *
 * Emits 'ready' ({pid, warmMs, closed, warnings, draft}) for each zygote process, `closed` telling what the
 * module had left open and `warnings` what its rehearse() warned of, 'died' ({pid, code, signal}) when one ended unasked, and 'failed' (error) when
 * one could not be warmed up.
 */
export class Zygote extends EventEmitter {
  #moduleUrl;
  #options;
  /** @type {unknown[]} */
  #warmedWith;
  /** @type {Set<ZygoteProcess>} alive, or with children that are */
  #processes = new Set();
  /** @type {Set<ForkedProcess>} */
  #children = new Set();
  /** What forks, or will. @type {ZygoteProcess | Promise<ZygoteProcess>} */
  #current;
  /** @type {ZygoteProcess | undefined} */
  #process;
  #isDraft = false;
  #readyAt = 0;
  /** @type {Promise<unknown> | undefined} the one that will follow a draft */
  #improving;
  /** @type {Promise<void>} one after the other */
  #warming = Promise.resolve();
  #lastId = 0;
  #closed = false;
  /** @type {Promise<void> | undefined} */
  #closing;
  #failures = 0;
  /** In a row. */
  #diedYoung = 0;

  /** @param {string} moduleUrl @param {import('./options.js').CheckedZygoteOptions} options */
  constructor(moduleUrl, options) {
    super();
    native();
    this.#moduleUrl = moduleUrl;
    this.#options = options;
    this.#warmedWith = [options.args];
    this.#current = this.#warmUp();
  }

  /** Of the zygote process that forks at present; 0 while there is none. */
  get pid() {
    return this.#process?.pid ?? 0;
  }
  /** Children that run. */
  get children() {
    return [...this.#children];
  }

  /**
   * @param {{thorough?: boolean}} [how] thorough: also wait for the one that follows a draft
   * @returns {Promise<void>} resolves when there is a zygote that can fork
   * @throws {PitvError} PITV_ZYGOTE_FAILED; PITV_OPTION_INVALID
   */
  async ready(how = {}) {
    const { thorough } = checkOptions('ready()', { thorough: boolean(false) }, how);
    await this.#current;
    if (thorough) await this.#improving;
  }

  /** @returns {Promise<ZygoteProcess>} */
  #warmUp() {
    const draft = this.#options.draft !== undefined;
    const warming = this.#warmOne(draft);
    warming.then(
      () => this.#isDraft && this.#improve(),
      (error) => this.#later(error, () => (this.#current = this.#warmUp())),
    );
    return warming;
  }

  /** Behind a draft. */
  #improve() {
    const draft = this.#process;
    this.#improving ??= this.#warmOne(false)
      .then(() => draft?.ended)
      .catch((error) => this.#later(error, () => this.#isDraft && this.#improve()))
      .finally(() => (this.#improving = undefined));
  }

  /** @param {unknown} error @param {() => void} action */
  #later(error, action) {
    if (this.#closed) return;
    this.emit('failed', error);
    this.#after(retryMs(this.#failures++), action);
  }

  /** @param {number} delayMs @param {() => void} action */
  #after(delayMs, action) {
    setTimeout(() => !this.#closed && action(), delayMs).unref();
  }

  /** @param {boolean} draft */
  async #warmOne(draft) {
    const began = performance.now();
    const one = new ZygoteProcess(this.#options);
    this.#processes.add(one);
    one.ended.then((end) => this.#onEnd(one, end));
    const [first, ...more] = draft ? [this.#options.draft] : this.#warmedWith;
    let warmed = await one.warm(this.#moduleUrl, first, draft);
    for (const args of more) warmed = await one.call(++this.#lastId, args);
    if (!draft) this.#failures = 0;
    const old = this.#process;
    if (draft && old) {
      // A better one was there first.
      this.#releaseIfDone(one);
      return old;
    }
    this.#process = one;
    this.#isDraft = draft;
    this.#readyAt = performance.now();
    this.#current = one;
    this.emit('ready', { pid: one.pid, warmMs: performance.now() - began, draft, ...warmed });
    // Its children go on, and say themselves how they end. It would stay, with a spare child, for that alone.
    old?.kill();
    return one;
  }

  /** @param {ZygoteProcess} one @param {import('./zygote-process.js').Ended} end */
  #onEnd(one, end) {
    if (this.#process === one && !this.#closed) {
      this.#process = undefined;
      this.emit('died', { pid: one.pid, ...end });
      this.#replace();
    }
    this.#releaseIfDone(one);
  }

  /** After a death: at once, unless zygotes die again and again. Until the next one is warmed up, starts fail. */
  #replace() {
    const young = performance.now() - this.#readyAt < YOUNG_MS;
    this.#diedYoung = young ? this.#diedYoung + 1 : 0;
    const again = () => {
      if (!this.#process) this.#current = this.#warmUp(); // the one that follows a draft may be there
    };
    if (this.#diedYoung < 2) {
      again();
      return;
    }
    const delayMs = retryMs(this.#diedYoung - 2);
    const sentence = `${this.#diedYoung} zygotes in a row died soon after they were ready; the next one is warmed up in ${delayMs} ms.`;
    this.#current = Promise.reject(new PitvError('PITV_ZYGOTE_FAILED', sentence));
    this.#current.catch(() => {}); // told to who asks for a child
    this.#after(delayMs, again);
  }

  /**
   * One that forks no more goes when its last child has gone: dead or alive, until then it is needed,
   * to tell how they end, and its pipe to be held open.
   * @param {ZygoteProcess} one
   */
  #releaseIfDone(one) {
    if (one === this.#process || this.children.some((child) => child.zygote === one)) return;
    this.#processes.delete(one);
    one.release();
  }

  /**
   * A new child that runs the module's default export with `args`. While there is no zygote (one has
   * just died, another is being warmed up), this waits.
   * @param {unknown} [args] structured-clonable
   * @param {ForkOptions} [options]
   * @returns {Promise<ForkedProcess>} its code runs
   * @throws {PitvError} PITV_ZYGOTE_FAILED: there is no zygote; PITV_ZYGOTE_FORK: fork() was refused;
   *   PITV_ZYGOTE_CHILD: it could not be set up, or ended at once; PITV_ZYGOTE_CLOSED; PITV_OPTION_INVALID
   */
  async fork(args, options) {
    return this.begin(args, options).started;
  }

  /**
   * Like fork(), for who wants to have the handle before the child runs: see its `started` and
   * `exited`, and kill().
   * @param {unknown} [args] @param {ForkOptions} [options]
   * @returns {ForkedProcess}
   * @throws {PitvError} PITV_OPTION_INVALID; nothing has been asked for then
   */
  begin(args, options = {}) {
    const child = new ForkedProcess(++this.#lastId, args, options, () => this.#next());
    this.#children.add(child);
    child.exited.then(() => {
      this.#children.delete(child);
      if (child.zygote) this.#releaseIfDone(child.zygote);
    });
    return child;
  }

  /** @returns {ZygoteProcess | Promise<ZygoteProcess>} */
  #next() {
    const orClosed = (/** @type {ZygoteProcess} */ one) => {
      if (!this.#closed) return one;
      throw new PitvError('PITV_ZYGOTE_CLOSED', 'This zygote has been closed.');
    };
    const current = this.#current;
    return current instanceof Promise ? current.then(orClosed) : orClosed(current);
  }

  /**
   * Has the module warm up once more, with other arguments (a game that was added, say). Children
   * asked for meanwhile wait; those that run keep what they were forked with.
   * @param {unknown} args for its warm()
   * @throws {PitvError} PITV_ZYGOTE_FAILED: warm() threw; another zygote is warmed up as it was before
   */
  async warm(args) {
    const turn = this.#warming.then(() => this.#warmMore(args));
    this.#warming = turn.catch(() => {});
    return turn;
  }

  /** @param {unknown} args */
  async #warmMore(args) {
    await this.ready({ thorough: true });
    const one = await this.#current;
    const warming = one.call(++this.#lastId, args);
    // When it fails the process ends, and the next one is the current one by then.
    const busy = warming.then(
      () => one,
      () => this.#current,
    );
    this.#current = busy;
    await warming;
    if (this.#current === busy) this.#current = one;
    this.#warmedWith.push(args);
  }

  /**
   * Ends the zygote and all children at once. Idempotent; never hangs.
   * @returns {Promise<void>}
   */
  close() {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close() {
    this.#closed = true;
    for (const child of this.children) child.kill();
    const exits = Promise.all(this.children.map((child) => child.exited));
    // The zygote tells how they ended; one that does not is ended with them.
    let timer;
    await Promise.race([exits, new Promise((done) => (timer = setTimeout(done, CLOSE_MS)))]);
    clearTimeout(timer);
    const processes = [...this.#processes];
    for (const one of processes) one.release();
    await Promise.all(processes.map((one) => one.ended));
    await exits;
  }
}
