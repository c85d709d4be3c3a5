/**
 * Timeouts that fit this machine. A fixed limit is too short for a small, loaded or emulated board and too long for a
 * fast machine. So each limit is a multiple of the time that Node.js took to start.
 */
import { performance } from 'node:perf_hooks';

/** Returns the time in ms from the start of this process until it could run JavaScript, about 20 on a PC. */
const nodeStartMs = () => performance.nodeTiming.bootstrapComplete;

/**
 * Makes the function that returns a timeout.
 * @param {{starts: number, minMs: number, maxMs: number}} limits starts: in starts of Node.js
 * @returns {(startMs?: number) => number} startMs: start time of Node.js, ms; returns ms, minMs..maxMs
 */
const timeout =
  ({ starts, minMs, maxMs }) =>
  (startMs = nodeStartMs()) =>
    Math.round(Math.min(maxMs, Math.max(minMs, starts * startMs)));

/**
 * Returns how long a match may stand still, see EngineOptions.hangMs. A garbage collection, or compiling new code,
 * takes less. The minimum is the limit on a Pi 4 and on faster machines.
 */
export const hangMs = timeout({ starts: 3, minMs: 600, maxMs: 60_000 });

/**
 * Returns how long a worker may take to start, see EngineOptions.readyTimeoutMs. In the worst case, several workers
 * start a Node.js process each at the same time.
 */
export const readyTimeoutMs = timeout({ starts: 30, minMs: 30_000, maxMs: 600_000 });

/**
 * Returns how long the TV may take to shut down after a signal. It waits a second at most for its workers; the rest is
 * for saving on a busy machine or a slow card. The service manager waits 15 s before it kills the TV (TimeoutStopSec=15).
 */
export const stopMs = timeout({ starts: 20, minMs: 1900, maxMs: 12_000 });
