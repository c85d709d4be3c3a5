/**
 * Timeouts that fit this machine. A small, loaded or emulated board is slower, so a fixed limit is too
 * long for some machines and too short for others. Here each limit is a multiple of the time that
 * Node.js took to start.
 */
import { performance } from 'node:perf_hooks';

/** Limit on a machine as fast as a Pi 4 or faster. */
const HANG_MIN_MS = 600;
const HANG_MAX_MS = 60_000;
/** Starts of Node.js that a match may stand still for: a garbage collection or code that is new take less. */
const HANG_STARTS = 3;

const READY_MIN_MS = 30_000;
const READY_MAX_MS = 600_000;
/** A worker starts a Node.js of its own at worst, and several of them at the same time. */
const READY_STARTS = 30;

/** Service managers wait 15 s for the end (TimeoutStopSec=15). */
const STOP_MIN_MS = 1900;
const STOP_MAX_MS = 12_000;
const STOP_STARTS = 4;

/** @returns {number} ms from the start of this process until JavaScript could run, some 20 on a PC */
const nodeStartMs = () => performance.nodeTiming.bootstrapComplete;

/** @param {number} value @param {number} least @param {number} most */
const within = (value, least, most) => Math.round(Math.min(most, Math.max(least, value)));

/**
 * Returns how long a match may stand still, see EngineOptions.hangMs.
 * @param {number} [startMs] what Node.js takes to start, ms
 * @returns {number} ms, 600..60,000
 */
export const hangMs = (startMs = nodeStartMs()) =>
  within(HANG_STARTS * startMs, HANG_MIN_MS, HANG_MAX_MS);

/**
 * Returns how long a worker may take to start, see EngineOptions.readyTimeoutMs.
 * @param {number} [startMs] what Node.js takes to start, ms
 * @returns {number} ms, 30,000..600,000
 */
export const readyTimeoutMs = (startMs = nodeStartMs()) =>
  within(READY_STARTS * startMs, READY_MIN_MS, READY_MAX_MS);

/**
 * Returns how long the TV may take to shut down after a signal.
 * @param {number} [startMs] what Node.js takes to start, ms
 * @returns {number} ms, 1900..12,000
 */
export const stopMs = (startMs = nodeStartMs()) =>
  within(STOP_STARTS * startMs, STOP_MIN_MS, STOP_MAX_MS);
