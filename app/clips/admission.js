/** Decides whether a clip may be made: number, size and rate are limited for all clips and per address. */
import { statfs } from 'node:fs/promises';
import { PitvError } from '../errors.js';
import { LIMITS } from '../limits/table.js';
import { diskFull } from './encode.js';

/** Left free on the disk for everything else. */
const SPARE_BYTES = 64 * 1024 * 1024;

/**
 * @typedef {object} ClipLimits
 * @property {number} count clips at the most, those under way too
 * @property {number} countPerAddress
 * @property {number} bytes of all of them together
 * @property {number} waiting clips that are recorded, waiting or being made
 * @property {number} waitingPerAddress
 * @property {number} everyMs minimum time between two clips of one address
 *
 * @typedef {object} Usage of clips
 * @property {number} pending clips under way
 * @property {number} kept finished clips
 * @property {number} bytes that they take, or may take
 */

/** @type {ClipLimits} */
export const CLIP_LIMITS = Object.freeze({
  count: LIMITS.clips.value,
  countPerAddress: LIMITS.clipsPerAddress.value,
  bytes: LIMITS.clipMegabytes.value * 1e6,
  waiting: LIMITS.clipsWaiting.value,
  waitingPerAddress: LIMITS.clipsWaitingPerAddress.value,
  everyMs: LIMITS.clipPause.value,
});

/** @type {Usage} */
const NOTHING = Object.freeze({ pending: 0, kept: 0, bytes: 0 });

/** @param {number} bytes */
const megabytes = (bytes) => Math.round(bytes / 1e6);
/** @param {string} why */
const tooMany = (why) => new PitvError('PITV_CLIP_LIMIT', `${why} Delete some, then try again.`);
/** @param {string} why */
const tooLarge = (why) =>
  new PitvError(
    'PITV_CLIP_SPACE',
    `${why}, and one more might not fit. Delete some, then try again.`,
  );

export class Admission {
  /** When a client last asked, performance.now(). @type {Map<string, number>} */
  #asked = new Map();

  /** @param {Partial<ClipLimits>} [limits] */
  constructor(limits) {
    this.limits = { ...CLIP_LIMITS, ...limits };
  }

  /**
   * Checks whether one more clip may be made.
   * @param {string} client who asks: the key of an address, or the owner when the address is not counted
   * @param {number} bytes the new clip may take
   * @param {Usage} all of all clips
   * @param {Usage} [own] of the clips of the address; without it the address is not counted
   * @throws {PitvError} PITV_CLIP_BUSY, PITV_CLIP_LIMIT, PITV_CLIP_SPACE
   */
  check(client, bytes, all, own = NOTHING) {
    const { limits } = this;
    const since = performance.now() - (this.#asked.get(client) ?? -Infinity);
    if (all.pending >= limits.waiting || own.pending >= limits.waitingPerAddress) {
      throw new PitvError(
        'PITV_CLIP_BUSY',
        'Other clips are being made. Wait for them, then try again.',
      );
    }
    if (since < limits.everyMs) {
      throw new PitvError(
        'PITV_CLIP_BUSY',
        'A clip was asked for just now. Wait a second, then try again.',
      );
    }
    const ownCount = own.kept + own.pending;
    const mostOwn = limits.countPerAddress;
    if (all.kept + all.pending >= limits.count) {
      throw tooMany(`There are ${limits.count} clips, which is the most.`);
    }
    if (ownCount >= mostOwn) {
      throw tooMany(`Screens at this address made ${mostOwn} clips, which is the most.`);
    }
    if (all.bytes + bytes > limits.bytes) {
      throw tooLarge(`Clips may take ${megabytes(limits.bytes)} MB`);
    }
    // The first clip of an address may be as large as any.
    const mostOwnBytes = (limits.bytes * LIMITS.clipSharePerAddress.value) / 100;
    if (ownCount > 0 && own.bytes + bytes > mostOwnBytes) {
      throw tooLarge(`Clips of screens at one address may take ${megabytes(mostOwnBytes)} MB`);
    }
  }

  /** Records an admitted clip. @param {string} client */
  note(client) {
    if (this.#asked.size >= LIMITS.rememberedAddresses.value) this.#asked.clear();
    this.#asked.set(client, performance.now());
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
