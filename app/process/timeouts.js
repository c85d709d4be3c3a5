/**
 * How long this machine may take before something counts as broken. On a small board, a loaded one or
 * an emulated one everything is slower, so a limit in seconds for all of them is too long for some and
 * too short for others. What every machine has done by the time this is asked is start Node.js: that is
 * the measure.
 */
import { performance } from 'node:perf_hooks';

/** On a machine as quick as a Pi 4 or quicker, a match that stands still longer than this hangs. */
const HANG_LEAST_MS = 600;
const HANG_MOST_MS = 60_000;
/** Starts of Node.js that a match may stand still for: a garbage collection or code that is new take less. */
const HANG_STARTS = 3;

const READY_LEAST_MS = 30_000;
const READY_MOST_MS = 600_000;
/** A worker starts a Node.js of its own at worst, and several of them at the same time. */
const READY_STARTS = 30;

/** What waits for the TV's end waits no longer: a service manager, a container's (TimeoutStopSec=15). */
const STOP_LEAST_MS = 1900;
const STOP_MOST_MS = 12_000;
const STOP_STARTS = 4;

/** @returns {number} ms from the start of this process until JavaScript could run, some 20 on a PC */
const nodeStartMs = () => performance.nodeTiming.bootstrapComplete;

/** @param {number} value @param {number} least @param {number} most */
const within = (value, least, most) => Math.round(Math.min(most, Math.max(least, value)));

/**
 * How long a match may stand still, see EngineOptions.hangMs.
 * @param {number} [startMs] what Node.js takes to start, ms
 * @returns {number} ms, 600..60,000
 */
export const hangMs = (startMs = nodeStartMs()) =>
  within(HANG_STARTS * startMs, HANG_LEAST_MS, HANG_MOST_MS);

/**
 * How long a worker may take to start, see EngineOptions.readyTimeoutMs.
 * @param {number} [startMs] what Node.js takes to start, ms
 * @returns {number} ms, 30,000..600,000
 */
export const readyTimeoutMs = (startMs = nodeStartMs()) =>
  within(READY_STARTS * startMs, READY_LEAST_MS, READY_MOST_MS);

/**
 * How long the TV may take from a signal to its end, whatever hangs.
 * @param {number} [startMs] what Node.js takes to start, ms
 * @returns {number} ms, 1900..12,000
 */
export const stopMs = (startMs = nodeStartMs()) =>
  within(STOP_STARTS * startMs, STOP_LEAST_MS, STOP_MOST_MS);
