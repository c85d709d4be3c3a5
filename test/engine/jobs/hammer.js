/** Writes frames and checkpoints to the memory of descriptor 4 as fast as it can, each filled with its own number. */
import { fileURLToPath } from 'node:url';
import { Mailbox } from '../../../app/engine/mailbox/mailbox.js';
import { native } from '../../../app/native/native.js';

export const sizes = { inputSlots: 2, frameBytes: 2000, checkpointBytes: 4000 };

/** @param {Uint8Array} bytes */
const wordsOf = (bytes) => new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength >>> 2);
/** Returns how many words a number fills: another count than the next one. @param {number} number */
const countOf = (number) =>
  1 + ((Math.imul(number, 2654435761) >>> 8) % (sizes.frameBytes / Uint32Array.BYTES_PER_ELEMENT));

/** Fills with a number. @param {Uint8Array} target @param {number} number uint32 @returns {number} bytes */
export function fill(target, number) {
  const count = countOf(number);
  wordsOf(target).fill(number, 0, count);
  return count * Uint32Array.BYTES_PER_ELEMENT;
}

/** @param {Uint8Array} bytes @returns {number} the number that fills them; -1: torn */
export function check(bytes) {
  const words = wordsOf(bytes);
  const [number] = words;
  const isWhole = words.length === countOf(number) && words.every((word) => word === number);
  return isWhole ? number : -1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  native().dieWithParent(process.ppid);
  const mailbox = Mailbox.attach(native().mapMemory(4));
  let number = mailbox.checkpoint ? mailbox.checkpoint.tick : 0;
  for (;;) {
    number++;
    mailbox.publishFrame(fill(mailbox.frameTarget, number), number);
    if (number % 4 === 0) mailbox.publishCheckpoint(fill(mailbox.checkpointTarget, number), number);
    mailbox.tick = number;
  }
}
