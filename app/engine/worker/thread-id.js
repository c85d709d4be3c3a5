/** Reads the kernel's id of the calling thread, which differs from Node's threadId. */
import { readlinkSync } from 'node:fs';
import { basename } from 'node:path';

/** @returns {number | undefined} undefined if the system is not Linux */
export function kernelThreadId() {
  try {
    return Number(basename(readlinkSync('/proc/thread-self')));
  } catch {
    return undefined;
  }
}
