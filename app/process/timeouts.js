/**
 * Timeouts that fit this machine. A fixed limit is too short for a small, loaded or emulated board and too long for a
 * fast machine. So each limit is a multiple of the time that Node.js took to start.
 */
import { performance } from 'node:perf_hooks';

/** Limit on a Pi 4 and on faster machines. */
const MIN_HANG_MS = 600;
const MAX_HANG_MS = 60_000;
/** In starts of Node.js. A garbage collection, or compiling new code, takes less. */
const HANG_STARTS = 3;

const MIN_READY_MS = 30_000;
const MAX_READY_MS = 600_000;
/** In starts of Node.js. In the worst case, several workers start a Node.js process each at the same time. */
const READY_STARTS = 30;

/** The service manager waits 15 s before it kills the TV (TimeoutStopSec=15). */
const MIN_STOP_MS = 1900;
const MAX_STOP_MS = 12_000;
const STOP_STARTS = 4;

/** Returns the time in ms from the start of this process until it could run JavaScript, about 20 on a PC. */
const nodeStartMs = () => performance.nodeTiming.bootstrapComplete;

/** @param {number} value @param {number} min @param {number} max */
const clamp = (value, min, max) => Math.round(Math.min(max, Math.max(min, value)));

/**
 * Returns how long a match may stand still, see EngineOptions.hangMs.
 * @param {number} [startMs] start time of Node.js, ms
 * @returns {number} ms, 600..60,000
 */
export const hangMs = (startMs = nodeStartMs()) =>
  clamp(HANG_STARTS * startMs, MIN_HANG_MS, MAX_HANG_MS);

/**
 * Returns how long a worker may take to start, see EngineOptions.readyTimeoutMs.
 * @param {number} [startMs] start time of Node.js, ms
 * @returns {number} ms, 30,000..600,000
 */
export const readyTimeoutMs = (startMs = nodeStartMs()) =>
  clamp(READY_STARTS * startMs, MIN_READY_MS, MAX_READY_MS);

/**
 * Returns how long the TV may take to shut down after a signal.
 * @param {number} [startMs] start time of Node.js, ms
 * @returns {number} ms, 1900..12,000
 */
export const stopMs = (startMs = nodeStartMs()) =>
  clamp(STOP_STARTS * startMs, MIN_STOP_MS, MAX_STOP_MS);
