/** The streams to and from a child process, with backpressure in both directions. */
import { closeSync } from 'node:fs';
import { Socket } from 'node:net';
import { PitvError, messageOf } from '../errors.js';
import { callable, checkValue } from '../options.js';

/** How many chunks the consumer may be busy with: while it processes one, the next is read. */
const MAX_PENDING_CHUNKS = 2;
const CLOSED_CODES = new Set([
  'EPIPE',
  'ECONNRESET',
  'ERR_STREAM_ALREADY_FINISHED',
  'ERR_STREAM_DESTROYED',
  'ERR_STREAM_WRITE_AFTER_END',
]);

/** @param {unknown} error @param {string} command @returns {PitvError} */
function pipeError(error, command) {
  if (error instanceof PitvError) return error;
  const isClosed = CLOSED_CODES.has(Reflect.get(Object(error), 'code'));
  const code = isClosed ? 'PITV_PIPE_CLOSED' : 'PITV_PIPE_FAILED';
  const sentence = isClosed
    ? `${command} has ended or closed its input. See the end of its stderr.`
    : `The pipe to ${command} broke: ${messageOf(error)}. Start it again.`;
  return new PitvError(code, sentence, { cause: error });
}

/** @typedef {(bytes: Buffer) => void | Promise<void>} Consumer */

/** Reads the output of a child. */
export class Source {
  #from;
  #command;
  #readBytes;
  /** @type {PitvError | undefined} why it was destroyed */
  #reason;
  /** @type {import('node:net').Socket | import('node:stream').Readable | undefined} */
  #stream;
  #destroyed = false;

  /**
   * @param {number | import('node:stream').Readable} from a descriptor, or a stream of Node.js
   * @param {{command: string, readBytes: number}} options
   */
  constructor(from, { command, readBytes }) {
    this.#from = from;
    this.#command = command;
    this.#readBytes = readBytes;
  }

  /**
   * Reads all output, once. While the consumer is busy with two chunks, nothing is read: the pipe fills up, and the
   * child is blocked.
   * @param {Consumer} consumer is called with each chunk, which is valid until the consumer returns, or until its
   *   promise resolves
   * @returns {Promise<void>} resolves at the end of the output
   * @throws {PitvError} PITV_OPTION_INVALID; PITV_PIPE_FAILED; PITV_PIPE_CLOSED: read before, or destroyed before the
   *   end; PITV_CHILD_ABORTED; also an error of the consumer
   */
  consume(consumer) {
    return new Promise((resolve, reject) => {
      checkValue('consume()', 'consumer', callable(), consumer);
      if (this.#stream) {
        const sentence = `The output of ${this.#command} is read already. Call consume() once.`;
        throw new PitvError('PITV_PIPE_CLOSED', sentence);
      }
      if (this.#destroyed) throw this.#closedError();
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
        else if (!ended && busy === MAX_PENDING_CHUNKS - 1) this.#stream?.resume();
      };
      /** @param {Buffer} bytes @param {() => void} free @returns {boolean} whether to continue reading */
      const onChunk = (bytes, free) => {
        let pending;
        try {
          pending = consumer(bytes);
        } catch (error) {
          fail(error);
          return false;
        }
        if (!pending) {
          free();
          return true;
        }
        busy++;
        pending.then(() => {
          free();
          release();
        }, fail);
        return busy < MAX_PENDING_CHUNKS;
      };
      const stream = (this.#stream =
        typeof this.#from === 'number'
          ? this.#openSocket(this.#from, onChunk)
          : this.#adoptStream(this.#from, onChunk));
      stream.once('error', (error) => fail(pipeError(error, this.#command)));
      stream.once('end', () => {
        ended = true;
        if (busy === 0) resolve();
      });
      stream.once('close', () => !ended && fail(this.#closedError()));
    });
  }

  /**
   * Opens a socket that reads into reused buffers. Node.js requests the next buffer as soon as one is filled, so there
   * is one more than the number of pending chunks.
   * @param {number} fd @param {(bytes: Buffer, free: () => void) => boolean} onChunk
   */
  #openSocket(fd, onChunk) {
    const spare = Array.from({ length: MAX_PENDING_CHUNKS + 1 }, () =>
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
          onChunk(buffer.subarray(0, length), () => void spare.push(buffer)),
      },
    };
    return new Socket(/** @type {import('node:net').SocketConstructorOpts} */ (options));
  }

  /** @param {import('node:stream').Readable} stream @param {(bytes: Buffer, free: () => void) => boolean} onChunk */
  #adoptStream(stream, onChunk) {
    return stream.on('data', (bytes) => {
      if (!onChunk(bytes, () => {})) stream.pause();
    });
  }

  #closedError() {
    const sentence = `The output of ${this.#command} was closed before its end.`;
    return this.#reason ?? new PitvError('PITV_PIPE_CLOSED', sentence);
  }

  /** Stops reading and closes the pipe. Idempotent. @param {PitvError} [reason] rejects consume() */
  destroy(reason) {
    if (this.#destroyed) return;
    this.#destroyed = true;
    this.#reason = reason;
    if (this.#stream) this.#stream.destroy();
    else if (typeof this.#from === 'number') closeSync(this.#from);
    else this.#from.destroy();
  }
}

/** Writes the input of a child. */
export class Sink {
  #stream;
  #command;
  /** @type {PitvError | undefined} */
  #problem;

  /**
   * @param {number | import('node:stream').Writable} to a descriptor, or a stream of Node.js
   * @param {string} command
   */
  constructor(to, command) {
    this.#command = command;
    this.#stream =
      typeof to === 'number' ? new Socket({ fd: to, readable: false, writable: true }) : to;
    this.#stream.on('error', (error) => (this.#problem ??= pipeError(error, command)));
  }

  /**
   * Writes a chunk.
   * @param {Uint8Array} bytes must not change until they are written
   * @returns {Promise<void> | undefined} undefined when the pipe had room for all bytes. Otherwise await the promise
   *   before the next write, or the chunks accumulate in memory
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
   * Closes the pipe after the last byte.
   * @returns {Promise<void>} resolves when all bytes are in the pipe
   * @throws {PitvError} PITV_PIPE_CLOSED, PITV_PIPE_FAILED
   */
  async end() {
    if (this.#problem) throw this.#problem;
    await new Promise((resolve, reject) => {
      /** @param {Error | null} [error] which @types/node does not know */
      const ended = (error) =>
        error ? reject(this.#problem ?? pipeError(error, this.#command)) : resolve(undefined);
      this.#stream.end(/** @type {() => void} */ (ended));
    });
    this.#stream.destroy();
  }

  /**
   * Closes the pipe and discards the bytes that are not written yet. Idempotent.
   * @param {PitvError} [reason] rejects writes
   */
  destroy(reason) {
    this.#problem ??= reason ?? pipeError({ code: 'EPIPE' }, this.#command);
    this.#stream.destroy(reason);
  }
}
