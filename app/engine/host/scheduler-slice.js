/**
 * Shortens the scheduler slice of the main thread, so that it gets a core quickly when workers use all of them. The
 * main thread needs a fraction of a millisecond at a time. Linux runs a thread with a short slice soon after it wakes
 * up, instead of letting the workers finish their slices. The workers' niceness decides shares of CPU time, not
 * latency.
 */
import { isMainThread } from 'node:worker_threads';
import { native } from '../../native/native.js';

const SLICE_MICROS = 100;

let isSet = false;

/** Sets the slice, once per process. Does nothing without the addon or the permission. */
export function shortenSlice() {
  if (isSet || !isMainThread || process.platform !== 'linux') return;
  isSet = true;
  try {
    native().setSlice(SLICE_MICROS);
  } catch {
    // The default slice only makes the main thread's latency worse.
  }
}
