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
import { native } from '../../native/native.js';
import { KIND, encode } from './channel.js';
import { ChildChannel } from './child-channel.js';
import { ChildStdio } from './child-stdio.js';
import { checkForkOptions } from './options.js';
import { ProcessHandle } from './process-handle.js';
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
  #addon = native();
  #options;
  #request;
  #stdio;
  /** @type {ChildChannel | undefined} set when the child has been forked */
  #channel;
  /** @type {ProcessHandle | undefined} */
  #process;
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
    this.#request = encode(KIND.message, { args, name: this.name });
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
    this.#fork(getZygote);
    const streams = this.#stdio.openStreams(); // meanwhile the zygote forks
    this.stdin = streams.stdin;
    this.stdout = streams.stdout;
    this.stderr = streams.stderr;
  }

  /** Requests the child, again if a zygote dies. @param {() => ZygoteProcess | Promise<ZygoteProcess>} getZygote */
  async #fork(getZygote) {
    try {
      for (let attempts = 1; ; attempts++) {
        const found = getZygote();
        const zygote = found instanceof Promise ? await this.#waitFor(found) : found;
        if (this.#sentSignal || !zygote) throw endedEarly(String(this.#sentSignal));
        this.zygote = zygote;
        try {
          return await this.#sendRequest(zygote);
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
   * Requests the child from a zygote.
   * @param {ZygoteProcess} zygote
   * @returns {Promise<void>} resolves when the child has been forked
   */
  #sendRequest(zygote) {
    const { niceness, cpus, memoryMb = 0, descriptors: others = [] } = this.#options;
    const passed = [...this.#stdio.descriptors, ...others];
    const request = encodeRequest({
      id: this.id,
      name: this.name,
      niceness,
      cpus,
      dataBytes: memoryMb * 1024 * 1024,
      stdio: this.#stdio.mask,
      descriptors: 1 + passed.length,
    });
    const [mine, theirs] = this.#addon.socketPair();
    return new Promise((resolve, reject) => {
      zygote.fork(this.id, request, [theirs, ...passed], {
        sent: () => this.#addon.closeDescriptor(theirs),
        forked: (pid) => {
          this.#onForked(channel, pid);
          resolve();
        },
        failed: (error) => {
          channel.destroy();
          reject(error);
        },
        exited: (reply) => this.#onReport('reaped', exitFromReply(reply)),
        orphaned: () => this.#onReport('orphaned'),
      });
      const channel = this.#openChannel(mine); // meanwhile the zygote forks
    });
  }

  /** @param {number} fd @returns {ChildChannel} */
  #openChannel(fd) {
    const { maxMessageBytes: maxBytes, messages } = this.#options;
    const channel = new ChildChannel(
      fd,
      { maxBytes, messages },
      {
        started: () => this.#resolveStarted(this),
        message: (value) => this.#onMessage(value),
        report: (kind, text) => this.emit('report', kind, text),
        failed: (error) => this.#rejectStarted(error),
        unreadable: (error) => {
          this.#rejectStarted(error);
          this.kill(); // where its next message begins is unknown
        },
        closed: () => {
          if (this.#channel === channel) this.#onClosed();
        },
      },
    );
    return channel;
  }

  /** @param {ChildChannel} channel @param {number} pid */
  #onForked(channel, pid) {
    this.#state = 'alive';
    this.pid = pid;
    this.#channel = channel;
    // The child gets its arguments only now. If its zygote dies before it reports the fork, the child waits for them,
    // sees the channel close and exits. So a repeated request cannot run the module twice.
    if (!this.#sentSignal) channel.sendRequest(this.#request);
    this.#process = new ProcessHandle(pid);
    if (this.#sentSignal) this.kill(this.#sentSignal);
    if (channel.destroyed) this.#onClosed();
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
    const runs = this.#process?.kill(0) ?? false;
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
    if (this.#channel?.destroyed) this.#onClosed();
  }

  /** @param {ForkedExit} [exit] undefined when no zygote reported it */
  #end(exit = exitOfOrphan(this.#channel?.announcedCode, this.#sentSignal)) {
    this.#state = 'ended';
    clearTimeout(this.#reportTimer);
    this.#process?.close();
    const error = this.#channel?.failure;
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
    return this.#channel?.send(value) ?? false;
  }

  /** Keeps this process alive while the child runs. */
  ref() {
    const ref = () => this.#channel?.ref();
    this.started.then(ref, ref);
    for (const stream of [this.stdin, this.stdout, this.stderr]) stream?.ref();
  }

  /** Lets this process end while the child runs. The child then ends as well. */
  unref() {
    const unref = () => this.#channel?.unref();
    this.started.then(unref, unref);
    for (const stream of [this.stdin, this.stdout, this.stderr]) stream?.unref();
  }

  /** Closes the channel in this direction; the child emits 'disconnect'. */
  disconnect() {
    this.#channel?.end();
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
    return this.#process?.kill(signal) ?? false;
  }
}
