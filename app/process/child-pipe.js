/**
 * Starts child processes with fast stdio. A pipe of Node.js's child_process is a pair of Unix sockets with the system's
 * default buffers (208 KB on Linux, 8 KB on macOS), read 64 KB at a time into a new buffer each. Here it is a socket
 * pair with larger buffers, or a pipe of 1 MiB (fcntl(2), F_SETPIPE_SZ), read into a few large buffers that are reused.
 * connectChildren() connects two children directly, so that no byte passes through this process. Sockets are faster
 * (see `pitv bench run pipe`); pipes are for programs that open /dev/stdin or splice.
 *
 * Without the native addon, everything works through Node.js's own pipes, more slowly.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import os from 'node:os';
import { PitvError, messageOf } from '../errors.js';
import { openPipe } from './pipe-ends.js';
import { Sink, Source } from './child-stream.js';

export { BUFFER_BYTES } from './pipe-ends.js';
export { READ_BYTES } from './child-stream.js';

/** How much of the end of a child's stderr is kept, to report why it failed. */
const STDERR_CHARACTERS = 4096;
/** Time from SIGTERM to SIGKILL. */
const KILL_MS = 2000;

/**
 * @typedef {object} PipeOptions
 * @property {'pipe' | 'socket'} [kind] of connection between this process and the child; `socket` by default
 * @property {number} [bufferBytes] its capacity, at least 4096; 1 MiB by default. The system may limit it
 * @property {number} [readBytes] maximum size of a read, 256 KiB by default
 *
 * @typedef {object} StartOptions
 * @property {'pipe' | 'ignore' | number} [stdin] `ignore` by default; a number is a descriptor
 * @property {'pipe' | 'ignore' | number} [stdout]
 * @property {boolean} [ipc] opens a channel for messages: `child.process.send()`
 * @property {number} [niceness] 0..19
 * @property {string} [cwd] @property {NodeJS.ProcessEnv} [env]
 *
 * @typedef {object} Exit how a child ended
 * @property {number | null} code @property {NodeJS.Signals | null} signal
 * @property {string} stderrTail the end of its stderr
 */

/** A child process. */
export class Child {
  #stderrTail = '';
  /**
   * Resolves when the child has ended and its pipes are closed. Never rejects.
   * @type {Promise<Exit>}
   */
  exited;

  /**
   * @param {string} command
   * @param {import('node:child_process').ChildProcess} child
   * @param {{stdin?: Sink, stdout?: Source}} ends
   */
  constructor(command, child, { stdin, stdout }) {
    this.command = command;
    this.process = child;
    /** Its stdin, if the option was `pipe`. */
    this.stdin = stdin;
    /** Its stdout, if the option was `pipe`. */
    this.stdout = stdout;
    child.stderr?.setEncoding('utf8').on('data', (text) => {
      this.#stderrTail = (this.#stderrTail + text).slice(-STDERR_CHARACTERS);
    });
    this.exited = new Promise((resolve) => {
      child.once('close', (code, signal) => resolve({ code, signal, stderrTail: this.stderrTail }));
    });
  }

  get pid() {
    return this.process.pid ?? 0;
  }
  /** The end of its stderr. */
  get stderrTail() {
    return this.#stderrTail.trim();
  }

  /**
   * Waits until the child has ended with status 0.
   * @throws {PitvError} PITV_CHILD_FAILED: it ended with another status, or by a signal
   */
  async done() {
    const { code, signal, stderrTail } = await this.exited;
    if (code === 0) return;
    const how = signal ? `was ended by ${signal}` : `failed (exit status ${code})`;
    const why = stderrTail.split('\n').pop();
    throw new PitvError(
      'PITV_CHILD_FAILED',
      `${this.command} ${how}${why ? `: ${why.slice(0, 300)}` : ' without a message'}`,
      { details: { code, signal, words: stderrTail } },
    );
  }

  /**
   * Ends the child by SIGTERM, and by SIGKILL if it takes too long.
   * @returns {Promise<Exit>} never rejects
   */
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
 * @param {string} command a path, or a name that is looked up in PATH @param {string[]} args
 * @param {StartOptions & PipeOptions} [options]
 * @returns {Promise<Child>}
 * @throws {PitvError} PITV_PROGRAM_MISSING; PITV_PROGRAM_REFUSED: the program exists, but cannot be executed;
 *   PITV_NATIVE_FAILED: no descriptors are left
 */
export async function startChild(command, args, options = {}) {
  const { stdin = 'ignore', stdout = 'ignore', ipc = false } = options;
  const input = stdin === 'pipe' ? openPipe(options) : undefined;
  /** @type {import('./pipe-ends.js').PipeEnds | undefined} */
  let output;
  try {
    output = stdout === 'pipe' ? openPipe(options) : undefined;
    const stdio = [input?.reading ?? stdin, output?.writing ?? stdout, 'pipe'];
    const child = spawn(command, args, {
      stdio: /** @type {import('node:child_process').StdioOptions} */ (
        ipc ? [...stdio, 'ipc'] : stdio
      ),
      serialization: 'advanced',
      cwd: options.cwd,
      env: options.env,
    });
    await waitForSpawn(command, child);
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
 * Starts two programs and connects the stdout of the first to the stdin of the second. The kernel passes the bytes, and
 * blocks the first program while the second is busy. When one ends, the other finds its end of the pipe closed.
 * @param {Program} source @param {Program} target
 * @param {PipeOptions} [options]
 * @returns {Promise<[Child, Child]>}
 * @throws {PitvError} as startChild() does; then neither runs
 */
export async function connectChildren(source, target, options = {}) {
  const ends = openPipe(options);
  /** @type {Child | undefined} */
  let first;
  try {
    first = await startChild(source.command, source.args, {
      ...source.options,
      stdout: ends?.writing ?? 'pipe',
    });
    const second = await startChild(target.command, target.args, {
      ...target.options,
      // spawn() also accepts a stream of Node.js that has a descriptor.
      stdin: ends?.reading ?? /** @type {any} */ (first.process.stdout),
    });
    return [first, second];
  } catch (error) {
    await first?.stop();
    throw error;
  } finally {
    ends?.close();
    if (!ends) first?.stdout?.destroy(); // the target has its own descriptor
  }
}

/**
 * Relays all bytes from one child to another through this process. Ends the sink at the end of the source.
 * @param {Source} source @param {Sink} sink
 * @param {(bytes: Buffer) => void} [inspect] is called with every chunk, which is valid until it returns
 * @returns {Promise<number>} bytes
 * @throws {PitvError} PITV_PIPE_CLOSED: the target stopped reading; PITV_PIPE_FAILED
 */
export async function relay(source, sink, inspect) {
  let total = 0;
  try {
    await source.consume((bytes) => {
      total += bytes.length;
      inspect?.(bytes);
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

/**
 * Waits until a child runs.
 * @param {string} command @param {import('node:child_process').ChildProcess} child
 * @throws {PitvError} PITV_PROGRAM_MISSING, PITV_PROGRAM_REFUSED
 */
async function waitForSpawn(command, child) {
  try {
    await once(child, 'spawn');
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    if (code === 'ENOENT') {
      throw new PitvError(
        'PITV_PROGRAM_MISSING',
        `There is no program ${command}. Install it (Debian: apt-get install ${command}), then try again.`,
        { cause: error },
      );
    }
    throw new PitvError(
      'PITV_PROGRAM_REFUSED',
      `${command} cannot be run: ${messageOf(error)}. Check that it is executable and that there is memory for it.`,
      { cause: error },
    );
  }
}

/**
 * Sets the niceness of a child. Ignores errors: the child may have ended already.
 * @param {import('node:child_process').ChildProcess} child @param {number} niceness
 */
function lowerPriority(child, niceness) {
  try {
    os.setPriority(child.pid ?? 0, niceness);
  } catch {
    // The child has ended, or keeps the priority of this process.
  }
}
