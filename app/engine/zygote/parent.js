/**
 * One zygote process as the main process sees it: spawned, warmed, asked for children until it ends.
 * index.js keeps one of them alive.
 */
import { spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { getSystemErrorName } from 'node:util';
import { PitvError } from '../../errors.js';
import { NATIVE_FILE, native } from '../native.js';
import { KIND, decodeFailure, encode, reader } from './channel.js';
import { REPLY, REQUEST, encodeRequest, replyReader } from './records.js';

const ENTRY = fileURLToPath(new URL('./inside/entry.js', import.meta.url));
/** Without these a zygote can't be: no thread of V8's own has work of which a fork may take half along. */
const NEEDED_FLAGS = ['--single-threaded', '--v8-pool-size=1', '--expose-internals', '--expose-gc'];
/**
 * With these its children stay small: no collection just to give memory back (it writes to all that
 * is shared), new objects in few pages over and over (and no more than there are), and no forgetting of what was compiled.
 */
const SHARING_FLAGS = [
  '--no-memory-reducer',
  '--semi-space-growth-factor=1',
  '--minor-gc-task-trigger=5',
  '--no-flush-bytecode',
  '--no-wasm-generic-wrapper',
];
/** The inspector's thread would not come along. */
const INSPECT = /(^|\s)--inspect\S*(=\S+)?/g;
/** A zygote answers within milliseconds, or something is badly wrong with it. */
const ANSWER_MS = 5_000;

/**
 * @typedef {object} Ended
 * @property {number | null} code
 * @property {NodeJS.Signals | null} signal
 *
 * @typedef {object} ChildEvents
 * @property {() => void} sent the descriptors are on their way and may be closed here
 * @property {(pid: number, forkMicros: number) => void} forked
 * @property {(error: Error) => void} failed there is no child; code PITV_ZYGOTE_DIED: try another zygote
 * @property {(reply: import('./records.js').Reply) => void} exited
 * @property {() => void} orphaned the zygote died: nobody will tell how the child ended
 *
 * @typedef {object} Spawning
 * @property {string} name process title
 * @property {boolean} spare shall the next child be forked ahead?
 * @property {string[]} flags Node's and V8's, beside those that are needed
 * @property {NodeJS.ProcessEnv} env
 * @property {import('./forked.js').Stdio[]} stdio of the zygote: [stdin, stdout, stderr]
 * @property {<T>(spawn: () => T) => T} around calls spawn()
 */

export class ZygoteProcess {
  #addon = native();
  #control;
  #socket;
  #lifeline;
  /** @type {Map<number, ChildEvents>} asked for, or running */
  #children = new Map();
  /** @type {Map<number, NodeJS.Timeout>} asked for, not answered */
  #unanswered = new Map();
  /** @type {{bytes: Buffer, descriptors: number[], sent: () => void}[]} */
  #backlog = [];
  #dead = false;

  /** @param {Spawning} spawning */
  constructor(spawning) {
    const addon = this.#addon;
    const [control, theirControl] = addon.socketPair();
    const [theirLifeline, lifeline] = addon.makePipe();
    const [caller, theirCaller] = addon.socketPair();
    const env = zygoteEnvironment(spawning.env);
    this.#constant = { name: spawning.name, spare: spawning.spare };
    this.#control = control;
    this.#lifeline = lifeline;
    this.#firstCaller = caller;
    const child = spawning.around(() =>
      spawn(process.execPath, [...NEEDED_FLAGS, ...SHARING_FLAGS, ...spawning.flags, ENTRY], {
        detached: true, // a process group of its own, which ends as one
        env,
        stdio: [...spawning.stdio, theirControl, theirLifeline, theirCaller],
      }),
    );
    for (const fd of [theirControl, theirLifeline, theirCaller]) closeSync(fd);
    this.#socket = new Socket({ fd: control, readable: true, writable: true });
    this.#socket.on(
      'data',
      replyReader((reply) => this.#onReply(reply)),
    );
    this.#socket.on('error', () => {}); // it died: 'exit' follows
    this.#socket.unref();
    child.unref();
    this.child = child;
    /** @type {Promise<Ended>} never rejects; all of its answers have come in by then */
    this.ended = new Promise((resolve) => {
      const closed = new Promise((done) => this.#socket.once('close', done));
      child.once('exit', (code, signal) => closed.then(() => resolve({ code, signal })));
      child.once('error', () => {
        if (child.pid === undefined) resolve({ code: null, signal: null });
      });
    });
    this.ended.then(() => this.#onEnd());
  }

  #firstCaller;
  #constant;
  #holders = 0;
  #conversations = 0;

  get pid() {
    return this.child.pid ?? 0;
  }
  /** Has it ended? Its children may still run. */
  get dead() {
    return this.#dead;
  }

  /**
   * The first conversation.
   * @param {string} moduleUrl @param {unknown} args
   * @param {boolean} draft warm() is all; nothing is rehearsed
   * @returns {Promise<{closed: string[]}>}
   * @throws {PitvError} PITV_ZYGOTE_FAILED
   */
  warm(moduleUrl, args, draft) {
    return this.#converse(this.#firstCaller, { ...this.#constant, moduleUrl, args, draft });
  }

  /**
   * Has the module warm up once more.
   * @param {number} id @param {unknown} args
   * @returns {Promise<{closed: string[]}>}
   * @throws {PitvError} PITV_ZYGOTE_FAILED: it has ended
   */
  async call(id, args) {
    const [mine, theirs] = this.#addon.socketPair();
    const bytes = encodeRequest({ kind: REQUEST.call, id, descriptors: 1 });
    this.#send(bytes, [theirs], () => closeSync(theirs));
    return this.#converse(mine, { ...this.#constant, args });
  }

  /** @param {number} fd @param {unknown} value @returns {Promise<{closed: string[]}>} */
  async #converse(fd, value) {
    this.#hold();
    this.#conversations++;
    const socket = new Socket({ fd, readable: true, writable: true });
    /** @type {Error | undefined} */
    let failure;
    try {
      const answer = await new Promise((resolve, reject) => {
        const read = reader((kind, answer) => {
          if (kind === KIND.started) resolve(answer);
          else reject((failure = decodeFailure(answer)));
        });
        socket.on('data', read);
        socket.on('error', () => {});
        socket.on('close', () => reject(new Error('It ended without a word.')));
        socket.write(encode(KIND.message, value));
      });
      return answer;
    } catch (cause) {
      const { code, signal } = await this.ended;
      const why = failure ? failure.message : `it ended with ${signal ?? `code ${code}`}`;
      const sentence = `The zygote could not be warmed up: ${why}`;
      throw new PitvError('PITV_ZYGOTE_FAILED', sentence, { cause, details: { code, signal } });
    } finally {
      socket.destroy();
      this.#conversations--;
      this.#letGo();
    }
  }

  /** Somebody waits for it: this process must not run out of things to do meanwhile. */
  #hold() {
    if (this.#holders++ > 0) return;
    this.child.ref();
    this.#socket.ref();
  }

  /** By itself a zygote keeps nobody alive. */
  #letGo() {
    if (--this.#holders > 0) return;
    this.child.unref();
    this.#socket.unref();
  }

  /**
   * Asks for a child.
   * @param {import('./records.js').Request} request
   * @param {number[]} descriptors
   * @param {ChildEvents} events none is called before this returns, but sent
   */
  fork(request, descriptors, events) {
    const { id } = request;
    if (this.#dead) {
      events.sent();
      queueMicrotask(() => events.failed(died()));
      return;
    }
    this.#children.set(id, events);
    this.#awaitAnswer(id);
    this.#send(encodeRequest(request), descriptors, events.sent);
  }

  /** @param {number} id */
  #awaitAnswer(id) {
    const late = () => {
      if (this.#conversations > 0)
        this.#awaitAnswer(id); // it warms up, and answers after that
      else this.kill(); // it was stopped, say; its end answers what it owes
    };
    this.#unanswered.set(id, setTimeout(late, ANSWER_MS));
  }

  /** @param {Buffer} bytes @param {number[]} descriptors @param {() => void} sent */
  #send(bytes, descriptors, sent) {
    this.#backlog.push({ bytes, descriptors, sent });
    if (this.#backlog.length === 1) this.#flush();
  }

  /** Sends what there is room for; every answer makes room for more. */
  #flush() {
    while (this.#backlog.length > 0) {
      const [{ bytes, descriptors, sent }] = this.#backlog;
      try {
        if (!this.#addon.sendRequest(this.#control, bytes, descriptors)) return;
      } catch {
        return; // it died: #onEnd() clears up
      }
      this.#backlog.shift();
      sent();
    }
  }

  /** @param {import('./records.js').Reply} reply */
  #onReply(reply) {
    const { kind, id } = reply;
    const events = this.#children.get(id);
    clearTimeout(this.#unanswered.get(id));
    this.#unanswered.delete(id);
    if (kind === REPLY.forked) events?.forked(reply.pid, reply.micros);
    else {
      this.#children.delete(id);
      if (kind === REPLY.failed) events?.failed(forkFailure(reply.value));
      else events?.exited(reply);
    }
    this.#flush();
  }

  #onEnd() {
    this.#dead = true;
    for (const { sent } of this.#backlog.splice(0)) sent();
    const children = [...this.#children];
    const unanswered = new Set(this.#unanswered.keys());
    for (const timer of this.#unanswered.values()) clearTimeout(timer);
    this.#unanswered.clear();
    this.#children.clear();
    for (const [id, events] of children) {
      if (unanswered.has(id)) events.failed(died());
      else events.orphaned();
    }
  }

  /** Ends the zygote alone, at once; its children go on. */
  kill() {
    if (!this.#dead) this.#hold(); // until its end
    this.child.kill('SIGKILL');
  }

  /** Ends the zygote and all of its children, at once. To be called once nothing is wanted of them. */
  release() {
    if (this.#lifeline < 0) return;
    closeSync(this.#lifeline);
    this.#lifeline = -1;
    if (!this.#dead) this.#hold(); // until its end
  }
}

/** @param {NodeJS.ProcessEnv} given @returns {NodeJS.ProcessEnv} */
function zygoteEnvironment(given) {
  const env = { ...given };
  if (env.UV_USE_IO_URING) env.UV_USE_IO_URING = '0'; // uv_loop_fork() loses what is under way there
  if (env.NODE_OPTIONS) env.NODE_OPTIONS = env.NODE_OPTIONS.replace(INSPECT, '');
  // See native/fork_revive.c. A name with a space or a colon can't be told to the dynamic linker.
  if (!/[ :]/.test(NATIVE_FILE)) {
    env.LD_PRELOAD = [NATIVE_FILE, given.LD_PRELOAD].filter(Boolean).join(':');
  }
  // Once, and not in each child, each time a function is called for the first time (ld.so(8)).
  env.LD_BIND_NOW = '1';
  return env;
}

const died = () => new PitvError('PITV_ZYGOTE_DIED', 'The zygote ended before it could fork.');

/** @param {number} errno */
function forkFailure(errno) {
  const sentence = `fork() failed: ${getSystemErrorName(-errno)} (errno ${errno}).`;
  return new PitvError('PITV_ZYGOTE_FORK', sentence, { details: { errno } });
}
