/**
 * Allocates memory for copies of large values. Without a hint, the C library returns such blocks to the system when V8
 * has collected them, and the kernel zeroes each page of the next one: that takes longer than the copy.
 */
import { native } from '../../native/native.js';

/** glibc maps blocks from this size on by themselves, and unmaps them when they are freed (mallopt(3)). */
export const LARGE_BYTES = 128 * 1024;

/** Whether this thread has told the C library to keep freed blocks. */
let keepsBlocks = false;

/** @param {number} bytes @returns {ArrayBuffer} not zeroed */
export function allocateCopy(bytes) {
  if (bytes >= LARGE_BYTES && !keepsBlocks) {
    keepsBlocks = true;
    addonIfBuilt()?.keepFreedBlocks();
  }
  return /** @type {ArrayBuffer} */ (Buffer.allocUnsafeSlow(bytes).buffer);
}

/** Returns freed blocks of this process to the system. */
export function trimFreedBlocks() {
  if (keepsBlocks) addonIfBuilt()?.trimMalloc();
}

/** @returns {import('../../native/native.js').Native | undefined} */
export function addonIfBuilt() {
  try {
    return native();
  } catch {
    return undefined;
  }
}
