/**
 * Children with fast stdio. What Node calls a pipe of a child process is a pair of Unix sockets with
 * the system's default buffers (208 KB on Linux, 8 KB on macOS), read 64 KB at a time into a new buffer
 * each. Here it is a socketpair whose buffers are set, or a pipe of 1 MiB (fcntl(2), F_SETPIPE_SZ), read
 * into few large buffers that are used again. `direct()` joins two children so that no byte passes
 * through this process at all. Sockets are faster (see `pitv bench run pipe`), pipes are for programs
 * that open /dev/stdin or splice.
 *
 * Without the native addon all of it works through Node's own pipes, at their pace.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import os from 'node:os';
import { PitvError, messageOf } from '../errors.js';
import { openEnds } from './pipe-ends.js';
import { Sink, Source } from './child-stream.js';

export { BUFFER_BYTES } from './pipe-ends.js';
export { READ_BYTES } from './child-stream.js';

/** Bytes of a child's stderr that are kept, to report why it failed. */
const WORDS_BYTES = 4096;
/** Time from SIGTERM to SIGKILL. */
const KILL_MS = 2000;

/**
 * @typedef {object} Wiring
 * @property {'pipe' | 'socket'} [kind] what is between this process and the child; socket by default
 * @property {number} [bufferBytes] how much fits in it, 4096..; 1 MiB by default. Where the system
 *   allows less, it is the most that it allows
 * @property {number} [readBytes] the most that one read takes, 256 KiB by default
 *
 * @typedef {object} StartOptions
 * @property {'pipe' | 'ignore' | number} [stdin] ignore by default; a number is a descriptor
 * @property {'pipe' | 'ignore' | number} [stdout]
 * @property {boolean} [ipc] a channel for messages: `child.process.send()`
 * @property {number} [niceness] 0..19
 * @property {string} [cwd] @property {NodeJS.ProcessEnv} [env]
 *
 * @typedef {object} Exit how a child ended
 * @property {number | null} code @property {NodeJS.Signals | null} signal
 * @property {string} words the end of its stderr
 */

export class Child {
  #words = '';
  /** @type {Promise<Exit>} */
  exited;

  /**
   * @param {string} command
   * @param {import('node:child_process').ChildProcess} child
   * @param {{stdin?: Sink, stdout?: Source}} ends
   */
  constructor(command, child, { stdin, stdout }) {
    this.command = command;
    this.process = child;
    /** What it reads, when that was asked for. */
    this.stdin = stdin;
    /** What it writes, when that was asked for. */
    this.stdout = stdout;
    child.stderr?.setEncoding('utf8').on('data', (text) => {
      this.#words = (this.#words + text).slice(-WORDS_BYTES);
    });
    this.exited = new Promise((resolve) => {
      child.once('close', (code, signal) => resolve({ code, signal, words: this.words }));
    });
  }

  get pid() {
    return this.process.pid ?? 0;
  }
  /** The end of its stderr. */
  get words() {
    return this.#words.trim();
  }

  /**
   * @returns {Promise<void>} when it has ended well
   * @throws {PitvError} PITV_CHILD_FAILED: it ended with a status other than 0, or by a signal
   */
  async done() {
    const { code, signal, words } = await this.exited;
    if (code === 0) return;
    const how = signal ? `was ended by ${signal}` : `failed (exit status ${code})`;
    const why = words.split('\n').pop();
    throw new PitvError(
      'PITV_CHILD_FAILED',
      `${this.command} ${how}${why ? `: ${why.slice(0, 300)}` : ', and did not say why'}`,
      { details: { code, signal, words } },
    );
  }

  /** Ends it by SIGTERM, then SIGKILL. @returns {Promise<Exit>} never rejects */
  async stop() {
    this.stdin?.destroy();
    this.stdout?.destroy();
    this.process.kill('SIGTERM');
    const timer = setTimeout(() => this.process.kill('SIGKILL'), KILL_MS);
    const exit = await this.exited;
    clearTimeout(timer);
    return exit;
  }
}

/**
 * Starts a program.
 * @param {string} command found as the shell does @param {string[]} args
 * @param {StartOptions & Wiring} [options]
 * @returns {Promise<Child>}
 * @throws {PitvError} PITV_PROGRAM_MISSING; PITV_PROGRAM_REFUSED: it is there, but can't be run;
 *   PITV_NATIVE_FAILED: no descriptors are left
 */
export async function start(command, args, options = {}) {
  const { stdin = 'ignore', stdout = 'ignore', ipc = false } = options;
  const input = stdin === 'pipe' ? openEnds(options) : undefined;
  /** @type {import('./pipe-ends.js').Ends | undefined} */
  let output;
  try {
    output = stdout === 'pipe' ? openEnds(options) : undefined;
    const stdio = [input?.reading ?? stdin, output?.writing ?? stdout, 'pipe'];
    const child = spawn(command, args, {
      stdio: /** @type {import('node:child_process').StdioOptions} */ (
        ipc ? [...stdio, 'ipc'] : stdio
      ),
      serialization: 'advanced',
      cwd: options.cwd,
      env: options.env,
    });
    await spawned(command, child);
    if (options.niceness) lowerPriority(child, options.niceness);
    const to = input ? input.keep(input.writing) : child.stdin;
    const from = output ? output.keep(output.reading) : child.stdout;
    return new Child(command, child, {
      stdin: to === null ? undefined : new Sink(to, command),
      stdout:
        from === null ? undefined : new Source(from, { command, readBytes: options.readBytes }),
    });
  } catch (error) {
    input?.close();
    output?.close();
    throw error;
  }
}

/**
 * @typedef {{command: string, args: string[], options?: StartOptions}} Program
 */

/**
 * Starts two programs, the first one's stdout being the second one's stdin: the kernel passes the
 * bytes, and holds the first one back while the second is busy. When one ends, the other finds its
 * end of the pipe closed.
 * @param {Program} source @param {Program} target
 * @param {Wiring} [wiring]
 * @returns {Promise<[Child, Child]>}
 * @throws {PitvError} as start() does; then neither runs
 */
export async function direct(source, target, wiring = {}) {
  const ends = openEnds(wiring);
  /** @type {Child | undefined} */
  let first;
  try {
    first = await start(source.command, source.args, {
      ...source.options,
      stdout: ends?.writing ?? 'pipe',
    });
    const second = await start(target.command, target.args, {
      ...target.options,
      // Node passes what is below one of its own streams on as well.
      stdin: ends?.reading ?? /** @type {any} */ (first.process.stdout),
    });
    return [first, second];
  } catch (error) {
    await first?.stop();
    throw error;
  } finally {
    ends?.close();
    if (!ends) first?.stdout?.destroy(); // the target has its own of it
  }
}

/**
 * Passes everything on from one child to another through this process.
 * @param {Source} source @param {Sink} sink is ended when the source is
 * @param {(bytes: Buffer) => void} [look] sees every byte; they are its only until it returns
 * @returns {Promise<number>} bytes
 * @throws {PitvError} PITV_PIPE_CLOSED: the target reads no more; PITV_PIPE_FAILED
 */
export async function through(source, sink, look) {
  let total = 0;
  try {
    await source.each((bytes) => {
      total += bytes.length;
      look?.(bytes);
      return sink.write(bytes);
    });
    await sink.end();
  } catch (error) {
    source.destroy();
    sink.destroy();
    throw error;
  }
  return total;
}

/** @param {string} command @param {import('node:child_process').ChildProcess} child */
async function spawned(command, child) {
  try {
    await once(child, 'spawn');
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    if (code === 'ENOENT') {
      throw new PitvError(
        'PITV_PROGRAM_MISSING',
        `There is no program ${command} here. Install it (Debian: apt-get install ${command}), then try again.`,
        { cause: error },
      );
    }
    throw new PitvError(
      'PITV_PROGRAM_REFUSED',
      `${command} can't be run: ${messageOf(error)}. Look whether it is executable, and whether this machine has room for another process.`,
      { cause: error },
    );
  }
}

/** @param {import('node:child_process').ChildProcess} child @param {number} niceness */
function lowerPriority(child, niceness) {
  try {
    os.setPriority(child.pid ?? 0, niceness);
  } catch {
    // It has ended already, or runs at our priority too.
  }
}
