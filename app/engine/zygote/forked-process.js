/** A child of a zygote, as the main process sees it. */
import { EventEmitter } from 'node:events';
import { closeSync } from 'node:fs';
import { Socket } from 'node:net';
import os from 'node:os';
import { restoreFailure } from '../failure.js';
import { native } from '../../native/native.js';
import { KIND, encode, reader, sendFirst } from './channel.js';
import { ChildStdio } from './child-stdio.js';
import { neverRan } from './failures.js';
import { checkForkOptions } from './options.js';
import { REQUEST, encodeRequest } from './records.js';

/** How long the zygote may take to tell how a child ended, after the child's socket has closed. */
const TELL_MS = 1000;
/** A request that this many zygotes died of is given up. */
const MAX_TRIES = 3;

/**
 * @typedef {object} ForkedExit
 * @property {number | null} code exit status; null: ended by a signal, or not known (see orphaned)
 * @property {NodeJS.Signals | null} signal
 * @property {boolean} orphaned its zygote was dead by then, so that the system told nobody how it
 *   ended: `code` is what the child announced itself, `signal` what it was sent from here
 * @property {Error} [error] what the module threw and nobody caught, with its stack; or the message of
 *   the child that could not be read (PITV_ZYGOTE_MESSAGE)
 * @property {number} cpuMs CPU time it took; 0 when not known
 * @property {number} peakKib most resident memory; 0 when not known
 *
 * @typedef {import('./options.js').ForkOptions} ForkOptions
 * @typedef {import('./zygote-process.js').ZygoteProcess} ZygoteProcess
 */

/** @type {Map<number, NodeJS.Signals>} the first name counts: SIGABRT, not SIGIOT */
const SIGNAL_NAMES = new Map(
  Object.entries(os.constants.signals)
    .reverse()
    .map(([name, number]) => [number, /** @type {NodeJS.Signals} */ (name)]),
);

/**
 * Emits 'message' (value), 'disconnect' when the child has closed the conversation, and 'exit' with a
 * ForkedExit, once, after the last message.
 */
export class ForkedProcess extends EventEmitter {
  pid = 0;
  /** Microseconds that fork() itself took, in the zygote. */
  forkMicros = 0;
  /** Milliseconds from asking for it until the module's code ran. */
  startMs = 0;
  /** @type {ForkedExit | undefined} */
  exit;
  /** @type {ZygoteProcess | undefined} */
  zygote;

  #addon = native();
  #askedAt = performance.now();
  #options;
  #request;
  #stdio;
  /** @type {Error | undefined} */
  #failure;
  /** @type {Socket | undefined} */
  #socket;
  #handle = -1; // of the process, see openProcess()
  #running = false; // the module's code runs, or ran
  /** @type {unknown[] | undefined} messages that came before anybody could listen */
  #early = [];
  /** @type {Partial<ForkedExit> | undefined} */
  #told;
  /** @type {number | undefined} */
  #farewell;
  /** @type {NodeJS.Signals | undefined} */
  #killedBy;
  /** @type {NodeJS.Timeout | undefined} */
  #untold;
  /** @type {(value: this) => void} */
  #resolveStarted = () => {};
  /** @type {(error: Error) => void} */
  #rejectStarted = () => {};
  /** @type {(value: ForkedExit) => void} */
  #resolveExited = () => {};

  /**
   * @param {number} id @param {unknown} args @param {ForkOptions} options
   * @param {() => ZygoteProcess | Promise<ZygoteProcess>} nextZygote one that is ready
   * @throws {import('../../errors.js').PitvError} PITV_OPTION_INVALID
   * @throws {Error} when the arguments can't be cloned, or no descriptor is left
   */
  constructor(id, args, options, nextZygote) {
    super();
    this.#options = checkForkOptions(options);
    this.id = id;
    this.name = this.#options.name;
    this.#request = encode(KIND.message, { args, name: this.name });
    /** @type {Promise<this>} it runs; rejects with why it does not */
    this.started = new Promise((resolve, reject) => {
      this.#resolveStarted = resolve;
      this.#rejectStarted = reject;
    });
    /** @type {Promise<ForkedExit>} after the last message; never rejects */
    this.exited = new Promise((resolve) => (this.#resolveExited = resolve));
    this.started.then(
      () => setImmediate(() => this.#listen()),
      () => {},
    );
    this.#stdio = new ChildStdio(this.#options.stdio);
    this.#begin(nextZygote);
    this.#stdio.listen(); // while the child comes to be
  }

  get stdin() {
    return this.#stdio.streams.stdin;
  }
  get stdout() {
    return this.#stdio.streams.stdout;
  }
  get stderr() {
    return this.#stdio.streams.stderr;
  }

  /** @param {() => ZygoteProcess | Promise<ZygoteProcess>} nextZygote */
  async #begin(nextZygote) {
    try {
      for (let tries = 1; !this.#told; tries++) {
        const next = nextZygote();
        this.zygote = next instanceof Promise ? await next : next;
        if (this.#killedBy) throw neverRan(this.#killedBy);
        try {
          await this.#ask(this.zygote);
          break;
        } catch (error) {
          const code = Reflect.get(Object(error), 'code');
          if (code !== 'PITV_ZYGOTE_DIED' || tries === MAX_TRIES) throw error;
        }
      }
    } catch (error) {
      this.#rejectStarted(/** @type {Error} */ (error));
      this.#told = { signal: this.#killedBy };
      this.#end();
    } finally {
      this.#stdio.closeChildEnds();
    }
  }

  /**
   * One attempt.
   * @param {ZygoteProcess} zygote
   * @returns {Promise<void>} it was forked
   */
  #ask(zygote) {
    const { niceness, cpus, memoryMb = 0, descriptors: others = [] } = this.#options;
    const given = [...this.#stdio.descriptors, ...others];
    const request = encodeRequest({
      kind: REQUEST.fork,
      id: this.id,
      name: this.name,
      niceness,
      cpus,
      dataBytes: memoryMb * 1024 * 1024,
      stdio: this.#stdio.mask,
      descriptors: 1 + given.length,
    });
    const [mine, theirs] = this.#addon.socketPair();
    return new Promise((resolve, reject) => {
      zygote.fork(this.id, request, [theirs, ...given], {
        sent: () => closeSync(theirs),
        forked: (pid, micros) => {
          this.#onForked(socket, mine, pid, micros);
          resolve();
        },
        failed: (error) => {
          socket.destroy();
          reject(error);
        },
        exited: (reply) => this.#onExited(reply),
        orphaned: () => this.#onOrphaned(),
      });
      const socket = this.#openSocket(mine); // meanwhile the zygote forks
    });
  }

  /** @param {number} fd */
  #openSocket(fd) {
    const socket = new Socket({ fd, readable: true, writable: true });
    const { maxMessageBytes } = this.#options;
    const read = reader((kind, value) => this.#onValue(kind, value), maxMessageBytes);
    socket.on('data', (chunk) => {
      try {
        read(chunk);
      } catch (error) {
        if (Reflect.get(Object(error), 'code') !== 'PITV_ZYGOTE_MESSAGE') throw error;
        this.#onUnreadable(/** @type {Error} */ (error));
        socket.destroy();
      }
    });
    socket.on('error', () => {}); // 'close' follows
    socket.on('close', () => {
      if (this.#socket === socket) this.#onClosed();
    });
    return socket;
  }

  /** @param {Socket} socket @param {number} fd its @param {number} pid @param {number} micros */
  #onForked(socket, fd, pid, micros) {
    this.pid = pid;
    this.forkMicros = micros;
    this.#socket = socket;
    // Not before it is known: one whose zygote died before it could tell waits for this, in vain, and
    // ends. So a start that is tried again can't run twice.
    if (!this.#killedBy) sendFirst(socket, fd, this.#request);
    try {
      this.#handle = this.#addon.openProcess(pid);
    } catch {
      // Linux before 5.3, or it has ended: kill() does with the number.
    }
    if (this.#killedBy) this.kill(this.#killedBy);
    if (socket.destroyed) this.#onClosed();
  }

  /** Whoever awaited `started` has had a chance to listen by now. */
  #listen() {
    for (const value of this.#early ?? []) this.emit('message', value);
    this.#early = undefined;
    this.exited.then((exit) => this.emit('exit', exit));
    if (this.exit) this.#resolveExited(this.exit);
  }

  /** Kills the child: what follows such a message can't be told apart. @param {Error} error */
  #onUnreadable(error) {
    this.#failure = error;
    this.#rejectStarted(error);
    this.kill();
  }

  /** @param {number} kind @param {any} value */
  #onValue(kind, value) {
    const early = this.#early && (this.#early.length > 0 || this.listenerCount('message') === 0);
    if (kind === KIND.message && early) this.#early?.push(value);
    else if (kind === KIND.message) this.emit('message', value);
    else if (kind === KIND.leaving) this.#farewell = value;
    else if (kind === KIND.failed) this.#rejectStarted((this.#failure = restoreFailure(value)));
    else if (kind === KIND.started) {
      this.startMs = performance.now() - this.#askedAt;
      this.#running = true;
      this.#resolveStarted(this);
    }
  }

  /** @param {import('./records.js').Reply} reply */
  #onExited({ value, micros, peakKib }) {
    const signal = value < 0 ? (SIGNAL_NAMES.get(-value) ?? null) : null;
    this.#told = { code: value < 0 ? null : value, signal, cpuMs: micros, peakKib };
    this.#end();
  }

  /** From now on only its socket tells that it lives. */
  #onOrphaned() {
    this.#told ??= { orphaned: true };
    this.#end();
  }

  #onClosed() {
    this.emit('disconnect');
    if (!this.#told) this.#untold = setTimeout(() => this.#onOrphaned(), TELL_MS);
    this.#end();
  }

  /** When both are known: that it is gone, and how it went. */
  #end() {
    const told = this.#told;
    if (!told || this.exit || (this.#socket && !this.#socket.destroyed)) return;
    clearTimeout(this.#untold);
    if (this.#handle >= 0) closeSync(this.#handle);
    this.#handle = -1;
    const { orphaned = false, cpuMs = 0, peakKib = 0 } = told;
    const code = (orphaned ? this.#farewell : told.code) ?? null;
    const signal = orphaned ? (code === null ? this.#killedBy : null) : told.signal;
    this.exit = { code, signal: signal ?? null, orphaned, cpuMs, peakKib };
    if (this.#failure) this.exit.error = this.#failure;
    this.#rejectStarted(neverRan(signal ?? `code ${code}`));
    // After the last message: one may wait until somebody can listen.
    if (!this.#running || !this.#early) this.#resolveExited(this.exit);
  }

  /**
   * @param {unknown} value structured-clonable
   * @returns {boolean} false: wait before sending more, or it has ended
   * @throws {Error} when the value can't be cloned
   */
  send(value) {
    const bytes = encode(KIND.message, value);
    return this.#socket?.writable === true && this.#socket.write(bytes);
  }

  /** Closes the conversation in this direction; the child sees 'disconnect'. */
  disconnect() {
    this.#socket?.end();
  }

  /**
   * Never hits another process, not even after the child has ended.
   * @param {NodeJS.Signals} [signal]
   * @returns {boolean} false: it has ended already
   */
  kill(signal = 'SIGKILL') {
    if (this.exit || this.#told?.orphaned === false) return false;
    this.#killedBy = signal;
    if (this.pid === 0) return true; // as soon as it is there
    try {
      if (this.#handle < 0) return process.kill(this.pid, signal);
      return this.#addon.signalProcess(this.#handle, os.constants.signals[signal]);
    } catch {
      return false;
    }
  }
}
