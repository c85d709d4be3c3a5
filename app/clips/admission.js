/** Limits the number, size and rate of clips, for all clips together and per address. */
import { statfs } from 'node:fs/promises';
import { PitvError } from '../errors.js';
import { LIMITS } from '../limits/table.js';
import { diskFullError } from './encode.js';

/** Space on the disk that clips leave free. */
const MIN_FREE_BYTES = 64 * 1024 * 1024;

/**
 * @typedef {object} ClipLimits
 * @property {number} count maximum number of clips, including unfinished ones
 * @property {number} countPerAddress
 * @property {number} bytes maximum size of all clips together
 * @property {number} waiting maximum number of clips that are being recorded, waiting or being made
 * @property {number} waitingPerAddress
 * @property {number} everyMs minimum time between two clips of one address
 *
 * @typedef {object} Usage
 * @property {number} pending number of unfinished clips
 * @property {number} finished number of finished clips
 * @property {number} bytes size of the finished clips and maximum size of the others
 */

/** @type {ClipLimits} */
const CLIP_LIMITS = Object.freeze({
  count: LIMITS.clips.value,
  countPerAddress: LIMITS.clipsPerAddress.value,
  bytes: LIMITS.clipMegabytes.value * 1e6,
  waiting: LIMITS.clipsWaiting.value,
  waitingPerAddress: LIMITS.clipsWaitingPerAddress.value,
  everyMs: LIMITS.clipPause.value,
});

/** @type {Usage} */
const NO_CLIPS = Object.freeze({ pending: 0, finished: 0, bytes: 0 });

/** @param {number} bytes */
const megabytes = (bytes) => Math.round(bytes / 1e6);
/** @param {string} reason */
const limitError = (reason) =>
  new PitvError('PITV_CLIP_LIMIT', `${reason} Delete some, then try again.`);
/** @param {string} reason */
const spaceError = (reason) =>
  new PitvError(
    'PITV_CLIP_SPACE',
    `${reason}, and another one might not fit. Delete some, then try again.`,
  );

export class Admission {
  /** Time of each client's last clip, performance.now(). @type {Map<string, number>} */
  #lastClips = new Map();

  /** @param {Partial<ClipLimits>} [limits] */
  constructor(limits) {
    this.limits = { ...CLIP_LIMITS, ...limits };
  }

  /**
   * Checks whether another clip may be made.
   * @param {string} client key of the client's address, or the owner if limits per address do not apply
   * @param {number} bytes maximum size of the new clip
   * @param {Usage} all usage of all clips
   * @param {Usage} [own] usage of the address's clips; without it, limits per address do not apply
   * @throws {PitvError} PITV_CLIP_BUSY, PITV_CLIP_LIMIT, PITV_CLIP_SPACE
   */
  check(client, bytes, all, own = NO_CLIPS) {
    const { limits } = this;
    const sinceMs = performance.now() - (this.#lastClips.get(client) ?? -Infinity);
    if (all.pending >= limits.waiting || own.pending >= limits.waitingPerAddress) {
      throw new PitvError(
        'PITV_CLIP_BUSY',
        'Other clips are being made. Wait until they are done, then try again.',
      );
    }
    if (sinceMs < limits.everyMs) {
      throw new PitvError(
        'PITV_CLIP_BUSY',
        'Another clip was requested a moment ago. Wait a second, then try again.',
      );
    }
    const ownCount = own.finished + own.pending;
    const maxOwnCount = limits.countPerAddress;
    if (all.finished + all.pending >= limits.count) {
      throw limitError(`There are ${limits.count} clips, the maximum.`);
    }
    if (ownCount >= maxOwnCount) {
      throw limitError(`Screens at this address have made ${maxOwnCount} clips, the maximum.`);
    }
    if (all.bytes + bytes > limits.bytes) {
      throw spaceError(`Clips may take ${megabytes(limits.bytes)} MB`);
    }
    // The limit does not apply to the first clip of an address.
    const maxOwnBytes = (limits.bytes * LIMITS.clipSharePerAddress.value) / 100;
    if (ownCount > 0 && own.bytes + bytes > maxOwnBytes) {
      throw spaceError(`Clips of screens at one address may take ${megabytes(maxOwnBytes)} MB`);
    }
  }

  /** Records an admitted clip. @param {string} client see check() */
  record(client) {
    if (this.#lastClips.size >= LIMITS.rememberedAddresses.value) this.#lastClips.clear();
    this.#lastClips.set(client, performance.now());
  }
}

/**
 * Checks that a file fits on the disk.
 * @param {string} directory @param {number} bytes size of the file
 * @throws {PitvError} PITV_DISK_FULL
 */
export async function checkDisk(directory, bytes) {
  const { bavail, bsize } = await statfs(directory);
  if (bavail * bsize < bytes + MIN_FREE_BYTES) throw diskFullError();
}
