/**
 * Writes frames and checkpoints as fast as it can, each with its own pattern and checksum; runs as a
 * thread (memory in workerData) or as a process (descriptor 4).
 */
import { isMainThread, workerData } from 'node:worker_threads';
import { fileURLToPath } from 'node:url';
import { CONTROL, Mailbox } from '../../../app/engine/mailbox/mailbox.js';
import { native } from '../../../app/native/native.js';

export const sizes = { inputSlots: 2, frameBytes: 2000, checkpointBytes: 4000 };
const MIN_WORDS = 3;

/**
 * Fills in number, pattern and checksum; the length differs from one to the next.
 * @param {Uint8Array} target @param {number} number uint32
 * @returns {number} bytes
 */
export function fill(target, number) {
  const words = new Uint32Array(target.buffer, target.byteOffset, target.byteLength >>> 2);
  const count =
    MIN_WORDS + ((Math.imul(number, 2654435761) >>> 8) % (words.length - MIN_WORDS + 1));
  let sum = 0;
  words[0] = number;
  for (let i = 1; i < count - 1; i++) {
    words[i] = Math.imul(number + i, 2246822519);
    sum = (Math.imul(sum, 31) + words[i]) | 0;
  }
  words[count - 1] = sum;
  return count * 4;
}

/**
 * @param {Uint8Array} bytes
 * @returns {number} the number it was filled with; -1: torn
 */
export function check(bytes) {
  const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength >>> 2);
  const number = words[0];
  let sum = 0;
  for (let i = 1; i < words.length - 1; i++) {
    if (words[i] !== Math.imul(number + i, 2246822519) >>> 0) return -1;
    sum = (Math.imul(sum, 31) + words[i]) | 0;
  }
  return words.length >= MIN_WORDS && words[words.length - 1] === sum >>> 0 ? number : -1;
}

/** @param {ArrayBuffer | SharedArrayBuffer} memory */
function hammer(memory) {
  const mailbox = Mailbox.attach(memory);
  let number = mailbox.checkpoint ? mailbox.checkpoint.tick : 0;
  while (mailbox.control !== CONTROL.stop) {
    number++;
    mailbox.publishFrame(fill(mailbox.frameTarget, number), number);
    if (number % 4 === 0) mailbox.publishCheckpoint(fill(mailbox.checkpointTarget, number), number);
    mailbox.tick = number;
  }
}

if (!isMainThread && workerData?.hammer) hammer(workerData.hammer);
if (isMainThread && process.argv[1] === fileURLToPath(import.meta.url)) {
  native().dieWithParent(process.ppid);
  hammer(native().mapMemory(4));
}
