/** Describes how a child ended. */
import os from 'node:os';
import { PitvError } from '../../errors.js';

/**
 * @typedef {object} ForkedExit
 * @property {number | null} code exit status; null: ended by a signal, or unknown (see orphaned)
 * @property {NodeJS.Signals | null} signal
 * @property {boolean} orphaned the child's zygote had died, so the system reported no exit status: `code` is the one
 *   that the child announced itself, `signal` the one that kill() sent
 * @property {Error} [error] the uncaught error of the module, with its stack; or PITV_ZYGOTE_MESSAGE if a message of
 *   the child could not be read
 * @property {number} cpuMs CPU time; 0 if unknown
 * @property {number} peakKib maximum resident memory; 0 if unknown
 */

/** @type {Map<number, NodeJS.Signals>} of two names of a number the first one counts: SIGABRT, not SIGIOT */
const SIGNAL_NAMES = new Map(
  Object.entries(os.constants.signals)
    .reverse()
    .map(([name, number]) => [number, /** @type {NodeJS.Signals} */ (name)]),
);

/** Reads the zygote's report of a child's exit. @param {import('./records.js').Reply} reply @returns {ForkedExit} */
export function exitFromReply({ value, micros, peakKib }) {
  const signal = value < 0 ? (SIGNAL_NAMES.get(-value) ?? null) : null;
  return { code: value < 0 ? null : value, signal, orphaned: false, cpuMs: micros, peakKib };
}

/**
 * Describes the exit of a child without a report.
 * @param {number | undefined} announcedCode
 * @param {NodeJS.Signals | undefined} sentSignal
 * @returns {ForkedExit}
 */
export function exitOfOrphan(announcedCode, sentSignal) {
  const code = announcedCode ?? null;
  const signal = code === null ? (sentSignal ?? null) : null;
  return { code, signal, orphaned: true, cpuMs: 0, peakKib: 0 };
}

/** @param {string} end signal or exit status */
export function endedEarly(end) {
  const sentence = `The child ended with ${end} before the module's code ran.`;
  return new PitvError('PITV_ZYGOTE_CHILD', sentence);
}
