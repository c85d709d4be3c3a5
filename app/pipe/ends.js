/** Opens a pipe or a socket pair between two processes, with a larger buffer. */
import { closeSync } from 'node:fs';
import { native } from '../native/native.js';
import { checkOptions, integer, oneOf } from '../options.js';

/** Default capacity: the maximum for an unprivileged process on Linux (pipe(7)). */
export const BUFFER_BYTES = 1024 * 1024;
/** One page, the minimum capacity of a pipe. */
const MIN_BUFFER_BYTES = 4096;
const MAX_BUFFER_BYTES = 2 ** 30;
/** Default maximum size of a read. A pipe has room for several of them, a core's cache for one. */
const READ_BYTES = 256 * 1024;

/**
 * @typedef {object} PipeOptions
 * @property {'socket' | 'pipe'} [kind] of connection; default 'socket', which is faster. Programs that open /dev/stdin
 *   or splice need 'pipe'
 * @property {number} [bufferBytes] its capacity, 4096..2^30; default 1 MiB. The system may limit it
 * @property {number} [readBytes] maximum size of a read by this process, 1..2^30; default 256 KiB
 */
export const PIPE_FIELDS = {
  kind: { ...oneOf(['socket', 'pipe']), fallback: 'socket' },
  bufferBytes: integer(MIN_BUFFER_BYTES, MAX_BUFFER_BYTES, BUFFER_BYTES),
  readBytes: integer(1, MAX_BUFFER_BYTES, READ_BYTES),
};

/** The two descriptors of a connection, for the `stdio` of child processes. */
export class PipeEnds {
  #open;

  /** @param {number} reading descriptor @param {number} writing descriptor @param {number} bytes capacity */
  constructor(reading, writing, bytes) {
    this.reading = reading;
    this.writing = writing;
    this.bytes = bytes;
    this.#open = new Set([reading, writing]);
  }

  /**
   * Closes the other end, which a child has inherited. close() then leaves this one open.
   * @param {number} fd one of the two @returns {number} fd
   */
  keep(fd) {
    this.#open.delete(fd);
    this.close();
    return fd;
  }

  /** Closes the ends that are open in this process. Idempotent. */
  close() {
    for (const fd of this.#open) closeSync(fd);
    this.#open.clear();
  }
}

/**
 * Opens a pipe or a socket pair for programs that the caller starts: pass `writing` to one and `reading` to the other,
 * then close() the ends in this process, or the reader never sees the end.
 * @param {PipeOptions} [options]
 * @returns {PipeEnds}
 * @throws {import('../errors.js').PitvError} PITV_OPTION_INVALID; PITV_NATIVE_MISSING: it needs the addon
 * @throws {Error} PITV_NATIVE_FAILED: no descriptors are left
 */
export function openPipe(options = {}) {
  const { kind, bufferBytes } = checkOptions('openPipe()', PIPE_FIELDS, options);
  const addon = native();
  const [reading, writing] = kind === 'pipe' ? addon.makePipe() : addon.socketPair();
  const ends = new PipeEnds(reading, writing, 0);
  try {
    ends.bytes =
      kind === 'pipe'
        ? resizePipe(addon, writing, bufferBytes)
        : Math.min(...[reading, writing].map((fd) => addon.setSocketBuffers(fd, bufferBytes)));
    return ends;
  } catch (error) {
    ends.close();
    throw error;
  }
}

/**
 * Sets the capacity of a pipe. Halves it until the system allows it: /proc/sys/fs/pipe-max-size limits each pipe, and
 * pipe-user-pages-soft all pipes of a user together.
 * @param {Pick<import('../native/native.js').Native, 'setPipeSize' | 'pipeSize'>} addon
 * @param {number} fd @param {number} wanted bytes
 * @returns {number} the capacity, bytes
 */
export function resizePipe(addon, fd, wanted) {
  for (let bytes = wanted; bytes >= MIN_BUFFER_BYTES; bytes /= 2) {
    try {
      return addon.setPipeSize(fd, Math.floor(bytes));
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'PITV_NATIVE_FAILED') throw error;
    }
  }
  return addon.pipeSize(fd);
}
