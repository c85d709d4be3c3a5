/** Opens a pipe or a socket pair between two processes, with a larger buffer. */
import { closeSync } from 'node:fs';
import { native } from '../native/native.js';
import { PitvError } from '../errors.js';

/** Default capacity: the maximum for an unprivileged process on Linux (pipe(7)). */
export const BUFFER_BYTES = 1024 * 1024;
/** One page, the minimum capacity of a pipe. */
const MIN_BUFFER_BYTES = 4096;

/** The two descriptors of a pipe. */
export class PipeEnds {
  #open;

  /** @param {number} reading descriptor @param {number} writing descriptor @param {number} bytes capacity */
  constructor(reading, writing, bytes) {
    this.reading = reading;
    this.writing = writing;
    this.bytes = bytes;
    this.#open = new Set([reading, writing]);
  }

  /** Closes the other end, which a child has inherited. close() then leaves this one open. @param {number} fd */
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
 * Opens a pipe or a socket pair.
 * @param {import('./child-pipe.js').PipeOptions} options
 * @returns {PipeEnds | undefined} undefined without the addon; then use Node.js's own pipes
 * @throws {Error} PITV_NATIVE_FAILED: no descriptors are left
 */
export function openPipe({ kind = 'socket', bufferBytes = BUFFER_BYTES }) {
  const addon = loadAddon();
  if (!addon) return undefined;
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

/** @returns {import('../native/native.js').Native | undefined} */
function loadAddon() {
  try {
    return native();
  } catch (error) {
    if (error instanceof PitvError && error.code === 'PITV_NATIVE_MISSING') return undefined;
    throw error;
  }
}
