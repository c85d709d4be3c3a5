/**
 * Merges all equal pages as fast as ksmd can, for the `memory` scenario. The `ksm` scenario measures the cost of
 * merging, and the controller as it runs on a TV.
 */
import { PitvError } from '../../../app/errors.js';
import { KsmController, probeFeatures } from '../../../ksm/index.js';
import { startController } from '../ksm/controller.js';

/** ksmd uses a whole core and makes a pass in a tenth of a second, until two passes merge little. */
const FAST = { tickMs: 100, policy: { burstCpu: 1, burstPassMs: 100 } };
const LOCK_WAIT = { timeoutMs: 60_000, everyMs: 250 };

/**
 * Checks that workers can be launched at a level here.
 * @param {string} level
 * @throws {PitvError} KSM_UNSUPPORTED
 */
export function requireMarking(level) {
  const { madvise, prctl, personality, missing } = probeFeatures();
  if ((!madvise && !prctl) || (level === 'identical' && !personality)) {
    throw new PitvError(
      'KSM_UNSUPPORTED',
      `This machine cannot launch workers at level ${level}. Missing: ${missing.map(({ name }) => name).join(', ')}.`,
    );
  }
}

/**
 * @typedef {object} Merging
 * @property {() => boolean} done whether all equal pages have been merged
 * @property {() => void} stop restores the machine's settings
 */

/**
 * Starts ksmd. Call this before the TV starts, because the controller reacts to new processes.
 * @returns {Promise<Merging>}
 * @throws {Error} KSM_UNSUPPORTED, KSM_PERMISSION, KSM_LOCKED
 */
export async function startMerging() {
  const controller = new KsmController(FAST);
  await startController(controller, LOCK_WAIT);
  process.once('exit', () => controller.stop());
  process.once('SIGTERM', () => process.exit(1)); // the harness ends the sample
  return { done: () => controller.mode === 'trickle', stop: () => controller.stop() };
}
