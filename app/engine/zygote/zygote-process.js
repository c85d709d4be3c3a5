/** Runs one zygote process: spawns it, has it warm up and sends it requests. zygote.js replaces it when it dies. */
import { spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { PitvError, messageOf } from '../../errors.js';
import { NATIVE_FILE, native } from '../../native/native.js';
import { ChildChannel } from './child-channel.js';
import { createReplyReader } from './records.js';
import { endOfChild } from './process-handle.js';
import { OrderQueue } from './order-queue.js';
import { Spares } from './spares.js';

const ENTRY = fileURLToPath(new URL('./inside/entry.js', import.meta.url));
/** Required: a fork must not find V8's own threads in the middle of a task. */
const REQUIRED_FLAGS = [
  '--single-threaded',
  '--v8-pool-size=1',
  '--expose-internals',
  '--expose-gc',
];
/**
 * Keep the children small: no garbage collection that only returns memory (it writes to shared pages), new objects in
 * the same few pages of a young generation that does not grow, and no discarding of compiled code.
 */
const SHARING_FLAGS = [
  '--no-memory-reducer',
  '--semi-space-growth-factor=1',
  '--minor-gc-task-trigger=5',
  '--no-flush-bytecode',
  '--no-wasm-generic-wrapper',
];

/**
 * @typedef {object} WarmUpResult
 * @property {string[]} closed what the module had left open
 * @property {string[]} warnings of the module's rehearse()
 */

/** A fork does not have the threads of the profilers and of the inspector. */
const PROFILER = /^--(cpu|heap)-prof/;
const PROFILER_WITH_VALUE = /^--(cpu|heap)-prof-(dir|interval|name)$/;
/** The same in NODE_OPTIONS, which has the profilers' from Node.js 22 on. */
const THREADS =
  /(?<!\S)--(?:(?:cpu|heap)-prof-(?:dir|interval|name)(?:=|\s+)\S+|(?:inspect|cpu-prof|heap-prof)\S*)/g;

/**
 * Returns the flags of a zygote. V8 uses the last of equal ones, and a program may have others: the test runner of
 * Node.js starts test files with --v8-pool-size=4.
 * @param {string[]} further
 */
const zygoteFlags = (further) => [
  ...SHARING_FLAGS,
  ...further.filter(
    (flag, i) => !PROFILER.test(flag) && !PROFILER_WITH_VALUE.test(further[i - 1] ?? ''),
  ),
  ...REQUIRED_FLAGS,
];

/** Returns the environment of a zygote. @param {NodeJS.ProcessEnv} base @returns {NodeJS.ProcessEnv} */
function zygoteEnvironment(base) {
  const env = { ...base };
  if (env.UV_USE_IO_URING) env.UV_USE_IO_URING = '0'; // uv_loop_fork() loses its pending operations
  if (env.NODE_OPTIONS) env.NODE_OPTIONS = env.NODE_OPTIONS.replace(THREADS, '');
  // See native/zygote/revive.c. LD_PRELOAD cannot contain a path with a space or a colon.
  if (!/[ :]/.test(NATIVE_FILE)) {
    env.LD_PRELOAD = [NATIVE_FILE, base.LD_PRELOAD].filter(Boolean).join(':');
  }
  // The dynamic linker resolves all functions in the zygote, not on their first call in each child (ld.so(8)).
  env.LD_BIND_NOW = '1';
  return env;
}

/** @param {string} why @param {unknown} cause @param {Record<string, unknown>} [details] */
function warmUpError(why, cause, details) {
  const sentence = `The zygote could not be warmed up: ${why}`;
  return new PitvError('PITV_ZYGOTE_FAILED', sentence, { cause, details });
}

/**
 * Makes both ends of its sockets and its lifeline, and spawns it. When that fails, none of them stays open.
 * @param {(ends: number[]) => import('node:child_process').ChildProcess} spawn gets those for the zygote
 * @throws {PitvError} PITV_ZYGOTE_FAILED
 */
function spawnWithChannels(spawn) {
  const { socketPair, makePipe, closeDescriptor } = native();
  /** @type {number[]} */
  const made = [];
  try {
    for (const make of [socketPair, makePipe, socketPair]) made.push(...make());
    const [control, theirControl, theirLifeline, lifeline, caller, theirCaller] = made;
    const child = spawn([theirControl, theirLifeline, theirCaller]);
    for (const fd of [theirControl, theirLifeline, theirCaller]) closeDescriptor(fd);
    return { child, control, lifeline, caller };
  } catch (error) {
    made.forEach(closeDescriptor);
    throw warmUpError(messageOf(error), error);
  }
}

export class ZygoteProcess {
  #addon = native();
  #name;
  #socket;
  /** This process's end of the pipe whose closing kills the zygote's process group; -1 when closed. */
  #lifeline;
  /** Descriptor of the conversation about the warm-up. */
  #caller;
  /** The process has ended. Its children may still run. */
  #dead = false;

  /** @param {import('./options.js').CheckedZygoteOptions} options @throws {PitvError} PITV_ZYGOTE_FAILED */
  constructor(options) {
    const env = zygoteEnvironment(options.env);
    const { child, control, lifeline, caller } = spawnWithChannels((ends) =>
      options.around(() =>
        spawn(process.execPath, [...zygoteFlags(options.flags), ENTRY], {
          detached: options.ownSession,
          env,
          stdio: [...options.stdio, ...ends],
        }),
      ),
    );
    this.#name = options.name;
    this.#lifeline = lifeline;
    this.#caller = caller;
    this.#addon.ownDescriptor(lifeline);
    const socket = new Socket({ fd: control, readable: true, writable: true });
    this.orders = new OrderQueue(control, socket, () => this.kill()); // for example, it was stopped by SIGSTOP
    socket.on(
      'data',
      createReplyReader((reply) => this.orders.onReply(reply)),
    );
    this.spares = new Spares(this.orders, options.spares);
    socket.on('error', () => {}); // the zygote died: 'exit' follows
    socket.unref();
    child.unref();
    this.#socket = socket;
    this.child = child;
    this.ended = endOfChild(child, socket);
    this.ended.then(() => {
      this.#dead = true;
      this.spares.close();
      this.orders.end();
    });
  }

  get pid() {
    return this.child.pid ?? 0;
  }

  /**
   * Loads the module and has it warm up. If it fails, the zygote ends.
   * @param {string} moduleUrl @param {unknown} args
   * @param {boolean} brief calls warm() only; the module is not rehearsed
   * @returns {Promise<WarmUpResult>}
   * @throws {PitvError} PITV_ZYGOTE_FAILED
   */
  async warm(moduleUrl, args, brief) {
    /** Keeps this process alive until the zygote answers. @type {ChildChannel | undefined} */
    let channel;
    try {
      const answer = await new Promise((resolve, reject) => {
        channel = new ChildChannel(
          this.#caller,
          {},
          {
            message: resolve,
            failed: reject,
            unreadable: () => this.kill(),
            closed: () => reject(new Error('The zygote closed the conversation.')),
          },
        );
        channel.send({ name: this.#name, moduleUrl, args, brief });
      });
      this.spares.orderIn();
      return answer;
    } catch (cause) {
      this.#ref();
      const { code, signal, error = channel?.failure } = await this.ended;
      const why = error ? error.message : `it ended with ${signal ?? `code ${code}`}`;
      throw warmUpError(why, error ?? cause, { code, signal });
    } finally {
      channel?.socket.destroy();
    }
  }

  /** Keeps this process alive until the zygote has ended. One that is idle does not. */
  #ref() {
    if (this.#dead) return;
    this.child.ref();
    this.#socket.ref();
  }

  /** Kills the zygote. Its children continue. */
  kill() {
    this.#ref();
    this.child.kill('SIGKILL');
  }

  /** Kills the zygote and all of its children. */
  release() {
    if (this.#lifeline < 0) return;
    this.spares.close();
    this.#addon.closeDescriptor(this.#lifeline);
    this.#lifeline = -1;
    this.#ref();
  }
}
