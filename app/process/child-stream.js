/** This process's ends of a child's pipes, with backpressure in both directions. */
import { closeSync } from 'node:fs';
import { Socket } from 'node:net';
import { PitvError, messageOf } from '../errors.js';

/** The most that one read takes: several of them fit in a pipe, one fits in a core's cache. */
export const READ_BYTES = 256 * 1024;
/** Chunks that may be under way: while one is passed on, the next is read. */
const UNDER_WAY = 2;
const CLOSED = new Set([
  'EPIPE',
  'ECONNRESET',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
]);

/** @param {unknown} error @param {string} command @returns {PitvError} */
function pipeError(error, command) {
  const { code } = /** @type {NodeJS.ErrnoException} */ (error ?? {});
  return code !== undefined && CLOSED.has(code)
    ? new PitvError(
        'PITV_PIPE_CLOSED',
        `${command} takes no more: it has ended, or closed its input. What it said last tells why.`,
        { cause: error },
      )
    : new PitvError(
        'PITV_PIPE_FAILED',
        `The pipe to ${command} broke: ${messageOf(error)}. Start it again.`,
        { cause: error },
      );
}

/** @typedef {(bytes: Buffer) => void | Promise<void>} Take */

/** Reads what a child writes. */
export class Source {
  #from;
  #command;
  #readBytes;
  /** @type {import('node:net').Socket | import('node:stream').Readable | undefined} */
  #stream;
  #destroyed = false;

  /**
   * @param {number | import('node:stream').Readable} from a descriptor, or what Node made
   * @param {{command: string, readBytes?: number}} options
   */
  constructor(from, { command, readBytes = READ_BYTES }) {
    this.#from = from;
    this.#command = command;
    this.#readBytes = readBytes;
  }

  /**
   * Reads all that comes. While `take` is busy with two chunks no more is read: the pipe fills, and
   * the child waits.
   * @param {Take} take gets the bytes; they are its own until it returns, or what it returned resolves
   * @returns {Promise<void>} at the end of what the child writes
   * @throws {PitvError} PITV_PIPE_FAILED, PITV_PIPE_CLOSED: destroyed before the end; or what take() threw
   */
  each(take) {
    return new Promise((resolve, reject) => {
      if (this.#stream || this.#destroyed) throw pipeError({ code: 'EPIPE' }, this.#command);
      let busy = 0;
      let ended = false;
      /** @param {unknown} [error] */
      const fail = (error) => {
        reject(error);
        this.destroy();
      };
      const release = () => {
        busy--;
        if (ended && busy === 0) resolve();
        else if (!ended && busy === UNDER_WAY - 1) this.#stream?.resume();
      };
      /** @param {Buffer} bytes @param {() => void} free @returns {boolean} go on reading? */
      const got = (bytes, free) => {
        let taken;
        try {
          taken = take(bytes);
        } catch (error) {
          fail(error);
          return false;
        }
        if (!taken) {
          free();
          return true;
        }
        busy++;
        taken.then(() => {
          free();
          release();
        }, fail);
        return busy < UNDER_WAY;
      };
      const stream = (this.#stream =
        typeof this.#from === 'number'
          ? this.#open(this.#from, got)
          : this.#adopt(this.#from, got));
      stream.once('error', (error) => fail(pipeError(error, this.#command)));
      stream.once('end', () => {
        ended = true;
        if (busy === 0) resolve();
      });
      stream.once('close', () => !ended && fail(pipeError({ code: 'EPIPE' }, this.#command)));
    });
  }

  /**
   * A socket that reads into buffers which are used again. Node asks for the next one as soon as one
   * is filled, so there is one more of them than may be under way.
   * @param {number} fd @param {(bytes: Buffer, free: () => void) => boolean} got
   */
  #open(fd, got) {
    const spare = Array.from({ length: UNDER_WAY + 1 }, () =>
      Buffer.allocUnsafeSlow(this.#readBytes),
    );
    const options = {
      fd,
      readable: true,
      writable: false,
      onread: {
        buffer: () => spare.pop(),
        /** @param {number} length @param {Buffer<ArrayBuffer>} buffer */
        callback: (length, buffer) =>
          got(buffer.subarray(0, length), () => void spare.push(buffer)),
      },
    };
    return new Socket(/** @type {import('node:net').SocketConstructorOpts} */ (options));
  }

  /**
   * @param {import('node:stream').Readable} stream
   * @param {(bytes: Buffer, free: () => void) => boolean} got
   */
  #adopt(stream, got) {
    return stream.on('data', (bytes) => {
      if (!got(bytes, () => {})) stream.pause();
    });
  }

  /** Reads no more; the child finds its output closed. Idempotent. */
  destroy() {
    if (this.#destroyed) return;
    this.#destroyed = true;
    if (this.#stream) this.#stream.destroy();
    else if (typeof this.#from === 'number') closeSync(this.#from);
    else this.#from.destroy();
  }
}

/** Writes what a child reads. */
export class Sink {
  #stream;
  #command;
  /** @type {PitvError | undefined} */
  #problem;

  /**
   * @param {number | import('node:stream').Writable} to a descriptor, or what Node made
   * @param {string} command
   */
  constructor(to, command) {
    this.#command = command;
    this.#stream =
      typeof to === 'number' ? new Socket({ fd: to, readable: false, writable: true }) : to;
    this.#stream.on('error', (error) => (this.#problem ??= pipeError(error, command)));
  }

  /**
   * @param {Uint8Array} bytes not to be changed until they are written
   * @returns {Promise<void> | undefined} undefined: they are in the pipe already; else wait for it, or
   *   they pile up here
   * @throws {PitvError} PITV_PIPE_CLOSED, PITV_PIPE_FAILED; also as the rejection
   */
  write(bytes) {
    if (this.#problem) throw this.#problem;
    /** @type {((error?: Error | null) => void) | undefined} */
    let written;
    this.#stream.write(bytes, (error) => written?.(error));
    if (this.#stream.writableLength === 0 && !this.#stream.destroyed) return undefined;
    return new Promise((resolve, reject) => {
      written = (error) => (error ? reject(pipeError(error, this.#command)) : resolve());
    });
  }

  /**
   * Says that there is no more. @returns {Promise<void>} when all of it is in the pipe
   * @throws {PitvError} PITV_PIPE_CLOSED, PITV_PIPE_FAILED
   */
  async end() {
    if (this.#problem) throw this.#problem;
    await new Promise((resolve, reject) => {
      this.#stream.once('error', () => reject(this.#problem));
      this.#stream.end(() => resolve(undefined));
    });
    this.#stream.destroy();
  }

  /** What is not written yet is thrown away. Idempotent. */
  destroy() {
    this.#stream.destroy();
  }
}
