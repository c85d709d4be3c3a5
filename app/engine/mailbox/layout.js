/** Where what lies in a mailbox; ../mailbox.js says what it is for. */
import { PitvError } from '../../errors.js';

export const MAGIC = 0x70695456; // 'piTV'
export const LAYOUT_VERSION = 2;
export const HEADER_WORDS = 32;
const SLOT_HEAD_BYTES = 16;

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
  checkpoint: 12, // 0: none yet; else 1 + the slot that holds the newest whole one
  checkpointTick: 13,
  stepMicros: 14, // the last step
  stepMicrosMax: 15, // since the counter was last taken
  frameSequence: 16,
  memoryKib: 17, // what the worker's own heap and buffers take, as it says itself
  inputLogTicks: 18,
  loggedTicks: 19, // so far, uint32
  oversizedFrame: 20, // bytes of the first frame of this worker that there was no room for; else 0
});

/**
 * @typedef {object} MailboxSizes
 * @property {number} inputSlots 0..256
 * @property {number} frameBytes largest frame, bytes, up to 64 MiB
 * @property {number} checkpointBytes largest checkpoint, bytes, up to 64 MiB
 * @property {number} [inputLogTicks] so many ticks' inputs are kept to be looked at, 0..65536; 0 if not said
 */

/** @param {number} bytes */
const align = (bytes) => Math.ceil(bytes / 64) * 64;

/**
 * @param {MailboxSizes} sizes
 * @returns {number} bytes of shared memory that a mailbox of these sizes takes
 * @throws {PitvError} PITV_MAILBOX_SIZE
 */
export function mailboxBytes(sizes) {
  return layout(sizes).bytes;
}

/** @param {MailboxSizes} sizes */
function layout({ inputSlots, frameBytes, checkpointBytes, inputLogTicks = 0 }) {
  const limit = 64 * 1024 * 1024;
  for (const [name, value, most] of /** @type {[string, number, number][]} */ ([
    ['inputSlots', inputSlots, 256],
    ['frameBytes', frameBytes, limit],
    ['checkpointBytes', checkpointBytes, limit],
    ['inputLogTicks', inputLogTicks, 65536],
  ])) {
    if (!Number.isInteger(value) || value < 0 || value > most) {
      throw new PitvError(
        'PITV_MAILBOX_SIZE',
        `${name} must be a whole number from 0 to ${most}, not ${value}.`,
      );
    }
  }
  const inputs = HEADER_WORDS * 4;
  const checkpoints = align(inputs + inputSlots * 8);
  const checkpointStride = align(SLOT_HEAD_BYTES + checkpointBytes);
  const frames = checkpoints + 2 * checkpointStride;
  const frameStride = align(SLOT_HEAD_BYTES + frameBytes);
  return {
    inputs,
    checkpoints,
    checkpointStride,
    frames,
    frameStride,
    inputLog: frames + 3 * frameStride,
    bytes: frames + 3 * frameStride + align(inputLogTicks * (1 + inputSlots) * 4),
  };
}

/**
 * @param {ArrayBuffer | SharedArrayBuffer} memory at least mailboxBytes(sizes) long
 * @param {MailboxSizes} sizes
 */
export function viewsOf(memory, sizes) {
  const at = layout(sizes);
  /** @param {number} offset @param {number} bytes */
  const slot = (offset, bytes) => ({
    head: new Int32Array(memory, offset, SLOT_HEAD_BYTES / 4), // [sequence, length, tick, -]
    body: new Uint8Array(memory, offset + SLOT_HEAD_BYTES, bytes),
  });
  return {
    header: new Int32Array(memory, 0, HEADER_WORDS),
    inputs: new Int32Array(memory, at.inputs, sizes.inputSlots * 2),
    logEntries: new Int32Array(
      memory,
      at.inputLog,
      (sizes.inputLogTicks ?? 0) * (1 + sizes.inputSlots),
    ),
    frames: [0, 1, 2].map((i) => slot(at.frames + i * at.frameStride, sizes.frameBytes)),
    checkpoints: [0, 1].map((i) =>
      slot(at.checkpoints + i * at.checkpointStride, sizes.checkpointBytes),
    ),
  };
}
