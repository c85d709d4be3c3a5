/** Starts child processes whose stdin and stdout are fast pipes. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import os from 'node:os';
import { Stream } from 'node:stream';
import { PitvError, messageOf } from '../errors.js';
import { checkOptions, checkValue, integer, like, list, object, text } from '../options.js';
import { PIPE_FIELDS, openPipe } from './ends.js';
import { Sink, Source } from './child-stream.js';

/** How much of the end of a child's stderr is kept, to report why it failed. */
const STDERR_CHARACTERS = 4096;
/** The last line of stderr in a message has at most this length. */
const REASON_CHARACTERS = 300;
const MAX_ARGUMENTS = 1_000_000;

const argument = like('a text without NUL', /^[^\0]*$/);
/** @type {import('../options.js').Field} */
const stdio = {
  allowed: "'pipe', 'ignore', 'inherit', a descriptor, or a stream that has one",
  accepts: (value) =>
    ['pipe', 'ignore', 'inherit'].includes(value) ||
    (Number.isInteger(value) && value >= 0) ||
    value instanceof Stream,
  fallback: 'ignore',
};
export const SIGNAL = object(AbortSignal);
const START_FIELDS = {
  ...PIPE_FIELDS,
  stdin: stdio,
  stdout: stdio,
  niceness: integer(0, 19),
  cwd: text(4096),
  env: object(),
  signal: SIGNAL,
};
const STOP_FIELDS = { graceMs: integer(0, 600_000, 2000) };

/**
 * @typedef {'pipe' | 'ignore' | 'inherit' | number | Stream} Stdio a number is a descriptor; it remains open here
 *
 * @typedef {import('./ends.js').PipeOptions & {
 *   stdin?: Stdio,
 *   stdout?: Stdio,
 *   niceness?: number,
 *   cwd?: string,
 *   env?: NodeJS.ProcessEnv,
 *   signal?: AbortSignal,
 * }} StartOptions
 *   stdin, stdout: default 'ignore'; 'pipe' makes `child.stdin` and `child.stdout`, which must be used or destroyed;
 *   niceness: 0..19, default that of this process; signal: stops the child
 *
 * @typedef {object} Exit how a child ended
 * @property {number | null} code @property {NodeJS.Signals | null} signal
 * @property {string} stderrTail the end of its stderr, 4,096 characters
 */

/** A child process. */
export class Child {
  #stderrTail = '';
  /** @type {PitvError | undefined} */
  #aborted;
  /** Resolves when the child has ended. Never rejects. @type {Promise<Exit>} */
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
    child.on('error', () => {}); // it could not be signalled, for example because it has another user
    this.exited = new Promise((resolve) => {
      child.once('exit', async (code, signal) => {
        await this.#readStderr();
        resolve({ code, signal, stderrTail: this.stderrTail });
      });
    });
  }

  get pid() {
    return this.process.pid ?? 0;
  }
  /** The end of its stderr, 4,096 characters. */
  get stderrTail() {
    return this.#stderrTail.trim();
  }

  /**
   * Reads what the child has written to stderr. Its own children may keep that open: it is then no longer waited for.
   */
  async #readStderr() {
    const stderr = /** @type {import('node:net').Socket | null} */ (this.process.stderr);
    let length = -1;
    // Each turn of the event loop reads all that there is.
    for (let turns = 0; stderr?.closed === false && turns < 2; turns++) {
      if (stderr.bytesRead !== length) turns = 0;
      length = stderr.bytesRead;
      await new Promise((resolve) => setImmediate(resolve));
    }
    stderr?.unref();
  }

  /**
   * Waits until the child has ended with status 0.
   * @throws {PitvError} PITV_CHILD_FAILED: it ended with another status, or by a signal; PITV_CHILD_ABORTED
   */
  async done() {
    const { code, signal, stderrTail } = await this.exited;
    if (this.#aborted) throw this.#aborted;
    if (code === 0) return;
    const how = signal ? `was ended by ${signal}` : `failed (exit status ${code})`;
    const why = stderrTail.split('\n').pop();
    const reason = why ? `: ${why.slice(0, REASON_CHARACTERS)}` : ' without a message';
    const details = { code, signal, words: stderrTail };
    throw new PitvError('PITV_CHILD_FAILED', `${this.command} ${how}${reason}`, { details });
  }

  /**
   * Closes the pipes to the child and ends it: by SIGTERM, and by SIGKILL if it takes too long.
   * @param {{graceMs?: number}} [options] time from SIGTERM to SIGKILL, 0..600,000; default 2,000
   * @returns {Promise<Exit>}
   * @throws {PitvError} PITV_OPTION_INVALID
   */
  async stop(options = {}) {
    const { graceMs } = checkOptions('stop()', STOP_FIELDS, options);
    this.stdin?.destroy(this.#aborted);
    this.stdout?.destroy(this.#aborted);
    this.process.kill('SIGTERM');
    const timer = setTimeout(() => this.process.kill('SIGKILL'), graceMs);
    const exit = await this.exited;
    clearTimeout(timer);
    this.process.stderr?.destroy();
    return exit;
  }

  /** Stops the child when a signal is aborted. @param {AbortSignal} signal */
  stopOn(signal) {
    const abort = () => {
      this.#aborted = abortError(this.command, signal);
      this.stop();
    };
    signal.addEventListener('abort', abort, { once: true });
    this.exited.then(() => signal.removeEventListener('abort', abort));
    if (signal.aborted) abort();
  }
}

/** @param {string} command @param {AbortSignal} signal */
function abortError(command, signal) {
  const sentence = `${command} was stopped by its signal.`;
  const error = new PitvError('PITV_CHILD_ABORTED', sentence, { cause: signal.reason });
  error.name = 'AbortError';
  return error;
}

/**
 * Opens a connection, or none without the addon: Node.js's own pipes then take its place.
 * @param {import('./ends.js').PipeOptions} options
 */
export function openIfNative(options) {
  try {
    return openPipe(options);
  } catch (error) {
    if (error instanceof PitvError && error.code === 'PITV_NATIVE_MISSING') return undefined;
    throw error;
  }
}

/**
 * Starts a program. Its stderr is read; `exited` and done() report the end of it.
 * @param {string} command a path, or a name that is looked up in PATH @param {string[]} [args]
 * @param {StartOptions} [options]
 * @returns {Promise<Child>}
 * @throws {PitvError} PITV_OPTION_INVALID; PITV_PROGRAM_MISSING; PITV_PROGRAM_REFUSED: the program exists, but cannot
 *   be executed; PITV_CHILD_ABORTED
 * @throws {Error} PITV_NATIVE_FAILED: no descriptors are left
 */
export async function startChild(command, args = [], options = {}) {
  checkValue('startChild()', 'command', text(4096), command);
  checkValue('startChild()', 'args', list(argument, 0, MAX_ARGUMENTS), args);
  const checked = checkOptions('startChild()', START_FIELDS, options);
  const { stdin, stdout, kind, bufferBytes, readBytes, niceness, cwd, env, signal } = checked;
  if (signal?.aborted) throw abortError(command, signal);
  const input = stdin === 'pipe' ? openIfNative({ kind, bufferBytes }) : undefined;
  /** @type {import('./ends.js').PipeEnds | undefined} */
  let output;
  try {
    output = stdout === 'pipe' ? openIfNative({ kind, bufferBytes }) : undefined;
    const process = await spawned(command, args, {
      stdio: [input?.reading ?? stdin, output?.writing ?? stdout, 'pipe'],
      cwd,
      env,
    });
    if (niceness) lowerPriority(process, niceness);
    const to = input ? input.keep(input.writing) : process.stdin;
    const from = output ? output.keep(output.reading) : process.stdout;
    const child = new Child(command, process, {
      stdin: to === null ? undefined : new Sink(to, command),
      stdout: from === null ? undefined : new Source(from, { command, readBytes }),
    });
    if (signal) child.stopOn(signal);
    return child;
  } catch (error) {
    input?.close();
    output?.close();
    throw error;
  }
}

/**
 * Spawns a child and waits until it runs.
 * @param {string} command @param {string[]} args @param {import('node:child_process').SpawnOptions} options
 * @throws {PitvError} PITV_OPTION_INVALID: there is no folder `cwd`; PITV_PROGRAM_MISSING, PITV_PROGRAM_REFUSED
 */
async function spawned(command, args, options) {
  const { cwd } = options;
  try {
    const child = spawn(command, args, options);
    await once(child, 'spawn');
    return child;
  } catch (cause) {
    if (/** @type {NodeJS.ErrnoException} */ (cause).code !== 'ENOENT') {
      const sentence = `${command} cannot be run: ${messageOf(cause)}. Check that it is executable and that there is memory for it.`;
      throw new PitvError('PITV_PROGRAM_REFUSED', sentence, { cause });
    }
    if (cwd !== undefined && !existsSync(cwd)) {
      const sentence = `startChild(): there is no folder ${cwd}. Create it, or leave out cwd.`;
      throw new PitvError('PITV_OPTION_INVALID', sentence, { cause, details: { option: 'cwd' } });
    }
    const sentence = `There is no program ${command}. Install it (Debian: apt-get install ${command}), then try again.`;
    throw new PitvError('PITV_PROGRAM_MISSING', sentence, { cause });
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
