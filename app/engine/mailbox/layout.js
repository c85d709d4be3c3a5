/** Defines the layout of a mailbox's shared memory. mailbox.js describes its parts. */
import { PitvError } from '../../errors.js';
import { TICK_STATS_WORDS } from './tick-stats.js';

export const MAGIC = 0x70695456; // 'piTV'
export const LAYOUT_VERSION = 3;
export const HEADER_WORDS = 32;
const SLOT_HEAD_BYTES = 16;
const MAX_INPUT_SLOTS = 256;
const MAX_SLOT_BYTES = 64 * 1024 * 1024;

/** Offsets of the header words, in int32. */
export const HEADER = Object.freeze({
  magic: 0,
  version: 1,
  inputSlots: 2,
  frameBytes: 3,
  checkpointBytes: 4,
  control: 5,
  state: 6,
  tick: 7,
  lateTicks: 8,
  middle: 9,
  writer: 10,
  reader: 11,
  checkpoint: 12, // 0: none; else 1 + the slot of the newest complete checkpoint
  checkpointTick: 13,
  stepMicros: 14, // duration of the last step
  stepMicrosMax: 15, // longest step since the last read
  frameSequence: 16,
  memoryKib: 17, // the worker's heap and buffers, as it reports them
  oversizedFrame: 18, // bytes of this worker's first frame that did not fit; else 0
  oversizedCheckpoint: 19, // the same for checkpoints
  tickStats: 20, // 1: the mailbox has statistics of the ticks
  paused: 21, // 1: the worker waits between two ticks
});

/**
 * @typedef {object} MailboxSizes
 * @property {number} inputSlots 0..256
 * @property {number} frameBytes largest frame, bytes, up to 64 MiB
 * @property {number} checkpointBytes largest checkpoint, bytes, up to 64 MiB
 * @property {number} [tickStats] 1: room for statistics of the ticks; default 0
 *
 * @typedef {object} Slot a frame or a checkpoint
 * @property {Int32Array} head [sequence, length, tick, unused]
 * @property {Uint8Array} body
 *
 * @typedef {object} Views the parts of a mailbox
 * @property {Int32Array} header
 * @property {Int32Array} inputs
 * @property {Int32Array} tickStats empty without statistics
 * @property {Slot[]} frames
 * @property {Slot[]} checkpoints
 */

/** @param {number} bytes */
const align = (bytes) => Math.ceil(bytes / 64) * 64;

/**
 * Computes the size of a mailbox.
 * @param {MailboxSizes} sizes
 * @returns {number} bytes
 * @throws {PitvError} PITV_MAILBOX_SIZE
 */
export function mailboxBytes(sizes) {
  return layout(sizes).bytes;
}

/** @param {MailboxSizes} sizes */
function layout({ inputSlots, frameBytes, checkpointBytes, tickStats = 0 }) {
  for (const [name, value, max] of /** @type {[string, number, number][]} */ ([
    ['inputSlots', inputSlots, MAX_INPUT_SLOTS],
    ['frameBytes', frameBytes, MAX_SLOT_BYTES],
    ['checkpointBytes', checkpointBytes, MAX_SLOT_BYTES],
    ['tickStats', tickStats, 1],
  ])) {
    if (!Number.isInteger(value) || value < 0 || value > max) {
      throw new PitvError(
        'PITV_MAILBOX_SIZE',
        `${name} must be a whole number from 0 to ${max}, not ${value}.`,
      );
    }
  }
  const inputs = HEADER_WORDS * 4;
  const checkpoints = align(inputs + inputSlots * 8);
  const checkpointStride = align(SLOT_HEAD_BYTES + checkpointBytes);
  const frames = checkpoints + 2 * checkpointStride;
  const frameStride = align(SLOT_HEAD_BYTES + frameBytes);
  const stats = frames + 3 * frameStride;
  return {
    inputs,
    checkpoints,
    checkpointStride,
    frames,
    frameStride,
    stats,
    bytes: stats + align(tickStats * TICK_STATS_WORDS * 4),
  };
}

/**
 * Returns views of all parts of a mailbox.
 * @param {ArrayBuffer | SharedArrayBuffer} memory at least mailboxBytes(sizes) long
 * @param {MailboxSizes} sizes
 * @returns {Views}
 */
export function viewsOf(memory, sizes) {
  const at = layout(sizes);
  /** @param {number} offset @param {number} bytes */
  const slot = (offset, bytes) => ({
    head: new Int32Array(memory, offset, SLOT_HEAD_BYTES / 4),
    body: new Uint8Array(memory, offset + SLOT_HEAD_BYTES, bytes),
  });
  return {
    header: new Int32Array(memory, 0, HEADER_WORDS),
    inputs: new Int32Array(memory, at.inputs, sizes.inputSlots * 2),
    tickStats: new Int32Array(memory, at.stats, (sizes.tickStats ?? 0) * TICK_STATS_WORDS),
    frames: [0, 1, 2].map((i) => slot(at.frames + i * at.frameStride, sizes.frameBytes)),
    checkpoints: [0, 1].map((i) =>
      slot(at.checkpoints + i * at.checkpointStride, sizes.checkpointBytes),
    ),
  };
}
