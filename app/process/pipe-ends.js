/** The two ends of a pipe or socketpair between two processes, and the size of its buffer. */
import { closeSync } from 'node:fs';
import { native } from '../native/native.js';
import { PitvError } from '../errors.js';

/** Default size: the most that Linux gives an unprivileged process (pipe(7)). */
export const BUFFER_BYTES = 1024 * 1024;
/** A page; there is no smaller pipe. */
const MIN_BYTES = 4096;

export class Ends {
  #open;

  /** @param {number} reading descriptor @param {number} writing @param {number} bytes that fit */
  constructor(reading, writing, bytes) {
    this.reading = reading;
    this.writing = writing;
    this.bytes = bytes;
    this.#open = new Set([reading, writing]);
  }

  /** Keeps one end open, closes the other, which a child has by now. @param {number} fd */
  keep(fd) {
    this.#open.delete(fd);
    this.close();
    return fd;
  }

  /** Closes what is open here. Idempotent. */
  close() {
    for (const fd of this.#open) closeSync(fd);
    this.#open.clear();
  }
}

/**
 * @param {import('./child-pipe.js').Wiring} wiring
 * @returns {Ends | undefined} undefined: there is no addon, Node's own pipes have to do
 * @throws {Error} PITV_NATIVE_FAILED: no descriptors are left
 */
export function openEnds({ kind = 'socket', bufferBytes = BUFFER_BYTES }) {
  const addon = loadAddon();
  if (!addon) return undefined;
  const [reading, writing] = kind === 'pipe' ? addon.makePipe() : addon.socketPair();
  const ends = new Ends(reading, writing, 0);
  try {
    ends.bytes =
      kind === 'pipe'
        ? sizePipe(addon, writing, bufferBytes)
        : Math.min(...[reading, writing].map((fd) => addon.setSocketBuffers(fd, bufferBytes)));
    return ends;
  } catch (error) {
    ends.close();
    throw error;
  }
}

/**
 * As large as wanted, or as is allowed: /proc/sys/fs/pipe-max-size bounds each pipe, and
 * pipe-user-pages-soft all those of a user together.
 * @param {Pick<import('../native/native.js').Native, 'setPipeSize' | 'pipeSize'>} addon
 * @param {number} fd @param {number} wanted bytes
 * @returns {number} bytes
 */
export function sizePipe(addon, fd, wanted) {
  for (let bytes = wanted; bytes >= MIN_BYTES; bytes /= 2) {
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
