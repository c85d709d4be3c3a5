/**
 * One zygote process as the main process sees it: spawned, warmed, asked for children until it ends.
 * index.js keeps one of them alive.
 */
import { spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { PitvError } from '../../errors.js';
import { asError, restoreFailure } from '../failure.js';
import { native } from '../../native/native.js';
import { KIND, encode, reader } from './channel.js';
import { died, errorName, forkFailure, sendFailure } from './failures.js';
import { ZYGOTE_FLAGS, zygoteEnvironment } from './launch-options.js';
import { REPLY, REQUEST, encodeRequest, replyReader } from './records.js';

const ENTRY = fileURLToPath(new URL('./inside/entry.js', import.meta.url));
/** Errors of sendmsg(2) that say the zygote is gone. Any other one concerns the request alone. */
const GONE = new Set(['EPIPE', 'ECONNRESET', 'ENOTCONN', 'ECONNREFUSED']);
/** A zygote answers within milliseconds, or something is badly wrong with it. */
const ANSWER_MS = 5_000;

/**
 * @typedef {object} Warmed
 * @property {string[]} closed what the module had left open
 * @property {string[]} warnings what its rehearse() warned of
 *
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
 * @typedef {object} Sending a request on its way
 * @property {Buffer} bytes
 * @property {number[]} descriptors
 * @property {() => void} sent see ChildEvents
 * @property {(error: Error) => void} failed it can't be sent; nothing else is concerned
 *
 * @typedef {object} Spawning
 * @property {string} name process title
 * @property {boolean} spare shall the next child be forked ahead?
 * @property {string[]} flags Node's and V8's, beside those that are needed
 * @property {NodeJS.ProcessEnv} env
 * @property {import('./options.js').Stdio[]} stdio of the zygote: [stdin, stdout, stderr]
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
  /** @type {Sending[]} */
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
      spawn(process.execPath, [...ZYGOTE_FLAGS, ...spawning.flags, ENTRY], {
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
   * @returns {Promise<Warmed>}
   * @throws {PitvError} PITV_ZYGOTE_FAILED
   */
  warm(moduleUrl, args, draft) {
    return this.#converse(this.#firstCaller, { ...this.#constant, moduleUrl, args, draft });
  }

  /**
   * Has the module warm up once more.
   * @param {number} id @param {unknown} args
   * @returns {Promise<Warmed>}
   * @throws {PitvError} PITV_ZYGOTE_FAILED: it has ended
   */
  async call(id, args) {
    const bytes = encodeRequest({ kind: REQUEST.call, id, descriptors: 1 });
    const [mine, theirs] = this.#addon.socketPair();
    try {
      await new Promise((resolve, reject) => {
        const sent = () => resolve(closeSync(theirs));
        this.#send({ bytes, descriptors: [theirs], sent, failed: reject });
      });
    } catch (error) {
      closeSync(mine);
      throw error;
    }
    return this.#converse(mine, { ...this.#constant, args });
  }

  /** @param {number} fd @param {unknown} value @returns {Promise<Warmed>} */
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
          else reject((failure = restoreFailure(answer)));
        });
        socket.on('data', (chunk) => {
          try {
            read(chunk);
          } catch (error) {
            reject((failure = asError(error)));
            this.kill(); // it can't be talked to
          }
        });
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
   * @param {number} id @param {Buffer} bytes see encodeRequest()
   * @param {number[]} descriptors
   * @param {ChildEvents} events none is called before this returns, but sent
   */
  fork(id, bytes, descriptors, events) {
    const failed = (/** @type {Error} */ error) => {
      clearTimeout(this.#unanswered.get(id));
      this.#unanswered.delete(id);
      this.#children.delete(id);
      queueMicrotask(() => events.failed(error));
    };
    if (!this.#dead) {
      this.#children.set(id, events);
      this.#awaitAnswer(id);
    }
    this.#send({ bytes, descriptors, sent: events.sent, failed });
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

  /** @param {Sending} sending */
  #send(sending) {
    if (this.#dead) {
      sending.sent();
      sending.failed(died());
      return;
    }
    this.#backlog.push(sending);
    if (this.#backlog.length === 1) this.#flush();
  }

  /** Sends what there is room for; every answer makes room for more. */
  #flush() {
    while (this.#backlog.length > 0 && !this.#socket.destroyed) {
      const [{ bytes, descriptors, sent, failed }] = this.#backlog;
      /** @type {Error | undefined} */
      let failure;
      try {
        if (!this.#addon.sendRequest(this.#control, bytes, descriptors)) return;
      } catch (error) {
        if (GONE.has(errorName(error))) return; // #onEnd() clears up
        failure = sendFailure(error);
      }
      this.#backlog.shift();
      sent();
      if (failure) failed(failure);
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
