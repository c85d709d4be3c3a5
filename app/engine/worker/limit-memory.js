/** Limits the memory of a worker process. */
import { readFileSync } from 'node:fs';
import { native } from '../../native/native.js';

/**
 * Makes the kernel refuse memory over the limit, so that a worker cannot use up the machine's memory before it is seen.
 * @param {number} memoryMb on top of the memory that Node has mapped so far (most of which it never touches)
 */
export function limitMemory(memoryMb) {
  const status = readFileSync('/proc/self/status', 'latin1');
  const dataKib = Number(/^VmData:\s+(\d+)/m.exec(status)?.[1] ?? 0);
  if (dataKib > 0) native().setLimit('data', (dataKib + memoryMb * 1024) * 1024);
}
