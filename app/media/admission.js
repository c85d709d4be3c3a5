/** Who gets in: clips are bounded in number, space and pace, whoever asks for them. */
import { statfs } from 'node:fs/promises';
import { PitvError } from '../errors.js';
import { diskFull } from './encode.js';

/** Left free on the disk for everything else. */
const SPARE_BYTES = 64 * 1024 * 1024;
/** Owners that are remembered. */
const OWNERS_MAX = 1000;

/**
 * @typedef {object} ClipLimits
 * @property {number} count clips at the most, those under way too
 * @property {number} bytes of all of them together
 * @property {number} waiting that are recorded, wait for their turn, or are being made
 * @property {number} everyMs the least time between two of one owner
 */

/** @type {ClipLimits} */
export const CLIP_LIMITS = Object.freeze({ count: 40, bytes: 512e6, waiting: 3, everyMs: 1000 });

export class Admission {
  /** When an owner last asked, performance.now(). @type {Map<string, number>} */
  #asked = new Map();

  /** @param {Partial<ClipLimits>} [limits] */
  constructor(limits) {
    this.limits = { ...CLIP_LIMITS, ...limits };
  }

  /**
   * @param {string} owner
   * @param {{pending: number, kept: number, bytes: number}} now clips under way and finished; what they
   *   take, or may, with the one that is asked for
   * @throws {PitvError} PITV_CLIP_BUSY, PITV_CLIP_LIMIT, PITV_CLIP_SPACE
   */
  check(owner, { pending, kept, bytes }) {
    const { limits } = this;
    const since = performance.now() - (this.#asked.get(owner) ?? -Infinity);
    if (pending >= limits.waiting || since < limits.everyMs) {
      throw new PitvError(
        'PITV_CLIP_BUSY',
        pending >= limits.waiting
          ? 'Other clips are being made. Wait for them, then try again.'
          : 'A clip was asked for just now. Wait a second, then try again.',
      );
    }
    if (kept + pending >= limits.count) {
      throw new PitvError(
        'PITV_CLIP_LIMIT',
        `There are ${limits.count} clips, which is the most. Delete some, then try again.`,
      );
    }
    if (bytes > limits.bytes) {
      throw new PitvError(
        'PITV_CLIP_SPACE',
        `Clips may take ${Math.round(limits.bytes / 1e6)} MB, and one more might not fit. Delete some, then try again.`,
      );
    }
  }

  /** @param {string} owner who got in */
  note(owner) {
    if (this.#asked.size >= OWNERS_MAX) this.#asked.clear();
    this.#asked.set(owner, performance.now());
  }
}

/**
 * @param {string} directory @param {number} bytes that will be written there
 * @throws {PitvError} PITV_DISK_FULL
 */
export async function checkDisk(directory, bytes) {
  const { bavail, bsize } = await statfs(directory);
  if (bavail * bsize < bytes + SPARE_BYTES) throw diskFull();
}
