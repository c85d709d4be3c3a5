/**
 * A child of a zygote, as the main process sees it. Its state is one of:
 *
 *   requested   a zygote has been asked, or will be, to fork the child
 *   alive       the process exists and its channel is open
 *   closed      its channel is closed; the zygote has not reported its exit yet. A child that only closed its channel
 *               is killed after a while
 *   orphaned    its zygote died; the closing of its channel will show that it ends
 *   reaped      the zygote reported its exit; the last messages have not been read yet
 *   ended       `exit` is set
 *
 *   requested --forked--> alive --channel closed--> closed ---exit report, or process gone------------+
 *      |                    |                                                                         |
 *      |                    +--zygote's death--> orphaned ---channel closed, process gone-------------+--> ended
 *      |                    +--exit report-----> reaped -----channel closed---------------------------+
 *      +--fork failed---------------------------------------------------------------------------------+
 */
import { EventEmitter } from 'node:events';
import { KIND, encode } from './channel.js';
import { ChildStdio } from './child-stdio.js';
import { Fork } from './fork.js';
import { checkForkOptions } from './options.js';
import { encodeRequest, endedEarly, exitFromReply, exitOfOrphan } from './records.js';

/** How long the zygote may take to report a child's exit after the child's channel has closed. */
const REPORT_TIMEOUT_MS = 1000;
/** Whether a child without a channel has ended is tested so often, at most MAX_POLLS times. */
const POLL_MS = 50;
/** After so many polls, nothing is said about the exit of a process that has ended. */
const REPORT_POLLS = 40;
const MAX_POLLS = 100;
/** A request fails after this many zygotes have died while they handled it. */
const MAX_ATTEMPTS = 3;

/**
 * @typedef {import('./records.js').ForkedExit} ForkedExit
 * @typedef {'requested' | 'alive' | 'closed' | 'orphaned' | 'reaped' | 'ended'} State
 * @typedef {import('./options.js').ForkOptions} ForkOptions
 * @typedef {import('./zygote-process.js').ZygoteProcess} ZygoteProcess
 */

/**
 * Emits 'message' (value), 'report' (kind, text), 'disconnect' when the child has closed the channel, and 'exit'
 * (ForkedExit) once, after the last message.
 */
export class ForkedProcess extends EventEmitter {
  pid = 0;
  /** @type {ForkedExit | undefined} */
  exit;
  /** @type {ZygoteProcess | undefined} */
  zygote;
  /** @type {State} */
  #state = 'requested';
  #options;
  #request;
  #descriptors;
  #stdio;
  /** Set when the child has been forked. @type {Fork | undefined} */
  #fork;
  /** @type {unknown[] | undefined} messages that wait for a listener; undefined once they have been emitted */
  #waitingMessages = [];
  /** @type {Promise<void>} settles when waiting messages have been emitted, or never will be */
  #messagesEmitted;
  /** The zygote's report of the exit, while the channel is still open. @type {ForkedExit | undefined} */
  #report;
  /** @type {NodeJS.Timeout | undefined} */
  #reportTimer;
  /** The last signal that kill() sent. @type {NodeJS.Signals | undefined} */
  #sentSignal;
  /** @type {() => void} ends the wait for a zygote */
  #stopWaiting = () => {};
  #resolveStarted = (/** @type {this} */ _) => {};
  #rejectStarted = (/** @type {Error} */ _) => {};
  #resolveExited = (/** @type {ForkedExit} */ _) => {};

  /**
   * Requests the child.
   * @param {number} id @param {unknown} args @param {ForkOptions} options
   * @param {() => ZygoteProcess | Promise<ZygoteProcess>} getZygote returns a zygote that can fork
   * @throws {import('../../errors.js').PitvError} PITV_OPTION_INVALID
   * @throws {Error} when the arguments cannot be cloned or no descriptor is left
   */
  constructor(id, args, options, getZygote) {
    super();
    this.#options = checkForkOptions(options);
    this.id = id;
    this.name = this.#options.name;
    this.endsWithZygote = this.#options.endsWithZygote;
    const message = encode(KIND.message, { args, name: this.name });
    /** @type {Promise<this>} resolves when the module's code runs; rejects if it never will */
    this.started = new Promise((resolve, reject) => {
      this.#resolveStarted = resolve;
      this.#rejectStarted = reject;
    });
    /** @type {Promise<ForkedExit>} resolves after the last message; never rejects */
    this.exited = new Promise((resolve) => (this.#resolveExited = resolve));
    this.#messagesEmitted = this.started.then(
      () => this.#emitWaitingMessages(),
      () => {},
    );
    this.#stdio = new ChildStdio(this.#options.stdio);
    const { mask, descriptors } = this.#stdio;
    this.#descriptors = [...descriptors, ...(this.#options.descriptors ?? [])];
    const head = encodeRequest(id, this.#options, mask, this.#descriptors.length);
    this.#request = Buffer.concat([head, message]);
    this.#begin(getZygote);
    const streams = this.#stdio.openStreams(); // meanwhile the zygote forks
    this.stdin = streams.stdin;
    this.stdout = streams.stdout;
    this.stderr = streams.stderr;
  }

  /** Requests the child, again if a zygote dies. @param {() => ZygoteProcess | Promise<ZygoteProcess>} getZygote */
  async #begin(getZygote) {
    try {
      for (let attempts = 1; ; attempts++) {
        const found = getZygote();
        const zygote = found instanceof Promise ? await this.#waitFor(found) : found;
        if (this.#sentSignal || !zygote) throw endedEarly(String(this.#sentSignal));
        this.zygote = zygote;
        try {
          return await this.#start(zygote);
        } catch (error) {
          const code = Reflect.get(Object(error), 'code');
          if (code !== 'PITV_ZYGOTE_DIED' || attempts === MAX_ATTEMPTS) throw error;
        }
      }
    } catch (error) {
      this.#rejectStarted(/** @type {Error} */ (error));
      this.#end({ ...exitOfOrphan(undefined, this.#sentSignal), orphaned: false }); // it was never forked
    } finally {
      this.#stdio.closeChildEnds();
    }
  }

  /**
   * Waits for a zygote. It may take long to warm up, and kill() does not wait for that.
   * @param {Promise<ZygoteProcess>} found @returns {Promise<ZygoteProcess | undefined>} undefined after kill()
   */
  #waitFor(found) {
    const stopped = new Promise((resolve) => (this.#stopWaiting = () => resolve(undefined)));
    return Promise.race([found, stopped]);
  }

  /**
   * Sends the request to a spare of the zygote, or has it fork the child first.
   * @param {ZygoteProcess} zygote
   * @returns {Promise<void>} resolves when the request has been sent
   */
  #start(zygote) {
    const { maxMessageBytes: maxBytes, messages } = this.#options;
    const limits = { maxBytes, messages };
    return new Promise((resolve, reject) => {
      const settle = (/** @type {unknown} */ error) => (error ? reject(error) : resolve());
      /** @type {import('./fork.js').ForkEvents} */
      const events = {
        forked: () => {
          if (!fork) return;
          this.#useFork(fork);
          // The child gets its request only now. If its zygote dies before it reports the fork, the child waits for it,
          // sees the channel close and exits. So a repeated order cannot run the module twice.
          if (this.#sentSignal || !fork.request(this.#request, this.#descriptors, settle))
            resolve();
          fork.openProcess();
          if (this.#sentSignal) this.kill(this.#sentSignal);
          if (fork.channel.socket.destroyed) this.#onClosed();
        },
        refused: (error) => {
          fork?.channel.socket.destroy();
          reject(error);
        },
        exited: (reply) => this.#onReport('reaped', exitFromReply(reply)),
        orphaned: () => this.#onReport('orphaned'),
        started: () => this.#resolveStarted(this),
        message: (value) => this.#onMessage(value),
        report: (kind, text) => this.emit('report', kind, text),
        failed: (error) => this.#rejectStarted(error),
        unreadable: (error) => {
          this.#rejectStarted(error);
          this.kill(); // where its next message begins is unknown
        },
        closed: () => {
          if (this.#fork === fork) this.#onClosed();
        },
      };
      /** @type {Fork | undefined} */
      let fork;
      while ((fork = zygote.spares.take())) {
        if (fork.request(this.#request, this.#descriptors, settle)) {
          fork.use(events, limits);
          this.#useFork(fork);
          return;
        }
        fork.discard(); // it has ended
      }
      fork = new Fork(zygote.orders, false, events, limits);
    });
  }

  /** @param {Fork} fork that exists */
  #useFork(fork) {
    this.#state = 'alive';
    this.#fork = fork;
    this.pid = fork.pid;
  }

  /** @param {unknown} value */
  #onMessage(value) {
    const waiting = this.#waitingMessages;
    if (waiting && (waiting.length > 0 || this.listenerCount('message') === 0)) waiting.push(value);
    else this.emit('message', value);
  }

  /** Emits the waiting messages once the caller that awaits `started` could add listeners. @returns {Promise<void>} */
  #emitWaitingMessages() {
    return new Promise((resolve) => {
      setImmediate(() => {
        this.exited.then((exit) => this.emit('exit', exit));
        try {
          for (const value of this.#waitingMessages ?? []) this.emit('message', value);
        } finally {
          this.#waitingMessages = undefined;
          resolve();
        }
      });
    });
  }

  #onClosed() {
    if (this.#state === 'closed' || this.#state === 'ended') return;
    this.emit('disconnect');
    if (this.#state === 'reaped') return this.#end(this.#report);
    const isOrphan = this.#state === 'orphaned';
    this.#state = 'closed';
    const [delayMs, reportPolls] = isOrphan ? [0, 0] : [REPORT_TIMEOUT_MS, REPORT_POLLS];
    this.#reportTimer = setTimeout(() => this.#awaitEnd(0, reportPolls), delayMs);
  }

  /**
   * Ends this handle when the process has ended. One that has only closed its channel is killed.
   * @param {number} polls so far
   * @param {number} reportPolls that the report may take: on a busy machine the zygote, or this process, is late
   */
  #awaitEnd(polls, reportPolls) {
    const runs = this.#fork?.process?.kill(0) ?? false;
    if (polls === MAX_POLLS || (!runs && polls >= reportPolls)) return this.#end();
    if (runs && polls > 0) this.kill(); // at the first poll it may be about to exit
    this.#reportTimer = setTimeout(() => this.#awaitEnd(polls + 1, reportPolls), POLL_MS);
  }

  /** @param {'reaped' | 'orphaned'} state @param {ForkedExit} [report] */
  #onReport(state, report) {
    if (this.#state === 'closed' && report) this.#end(report);
    if (this.#state !== 'alive') return;
    this.#state = state;
    this.#report = report;
    if (this.#fork?.channel.socket.destroyed) this.#onClosed();
  }

  /** @param {ForkedExit} [exit] undefined when no zygote reported it */
  #end(exit = exitOfOrphan(this.#fork?.channel.announcedCode, this.#sentSignal)) {
    this.#state = 'ended';
    clearTimeout(this.#reportTimer);
    this.#fork?.process?.close();
    const error = this.#fork?.channel.failure;
    this.exit = error ? { ...exit, error } : exit;
    this.#rejectStarted(endedEarly(exit.signal ?? `code ${exit.code}`));
    this.#messagesEmitted.then(() => this.#resolveExited(/** @type {ForkedExit} */ (this.exit)));
  }

  /**
   * Sends a message to the child.
   * @param {unknown} value structured-clonable @returns {boolean} false when the buffer is full or the child has ended
   * @throws {Error} when the value cannot be cloned
   */
  send(value) {
    return this.#fork?.channel.send(value) ?? false;
  }

  /** Keeps this process alive while the child runs. */
  ref() {
    const ref = () => this.#fork?.channel.socket.ref();
    this.started.then(ref, ref);
    for (const stream of [this.stdin, this.stdout, this.stderr]) stream?.ref();
  }

  /** Lets this process end while the child runs. The child then ends as well. */
  unref() {
    const unref = () => this.#fork?.channel.socket.unref();
    this.started.then(unref, unref);
    for (const stream of [this.stdin, this.stdout, this.stderr]) stream?.unref();
  }

  /** Closes the channel in this direction; the child emits 'disconnect'. */
  disconnect() {
    this.#fork?.channel.socket.end();
  }

  /**
   * Sends a signal to the child. It cannot reach another process, even after the child has ended.
   * @param {NodeJS.Signals} [signal]
   * @returns {boolean} false when the child has ended
   */
  kill(signal = 'SIGKILL') {
    if (this.#state === 'ended' || this.#state === 'reaped') return false;
    this.#sentSignal = signal;
    if (this.#state === 'requested') {
      this.#stopWaiting();
      return true; // sent when the child has been forked
    }
    return this.#fork?.process?.kill(signal) ?? false;
  }
}
