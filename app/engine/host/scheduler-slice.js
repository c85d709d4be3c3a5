/**
 * The main thread before the workers when cores are short. What it does takes a fraction of a
 * millisecond each time; with slices no longer than that Linux gives it the processor as soon as it asks,
 * where it would let workers finish theirs first. That workers are nicer is about shares, not about turns.
 */
import { isMainThread } from 'node:worker_threads';
import { native } from '../../native/native.js';

const SLICE_MICROS = 100;

let done = false;

/** Once a process. Without the addon, or where it is not allowed, all stays as it is. */
export function shortenSlice() {
  if (done || !isMainThread || process.platform !== 'linux') return;
  done = true;
  try {
    native().setSlice(SLICE_MICROS);
  } catch {
    // See above.
  }
}
