/**
 * Merges what can be merged, as fast as ksmd can: for the `memory` scenario, which wants to know how
 * much that is. What it costs, and how the controller goes about it in a TV, is scenario `ksm`.
 */
import { PitvError } from '../../../app/errors.js';
import { KsmController, probeFeatures } from '../../../ksm/index.js';
import { startController } from '../ksm/start-controller.js';

/** A whole core, a pass in a tenth of a second; it is over when two passes found little new. */
const FAST = { tickMs: 100, policy: { burstCpu: 1, burstPassMs: 100 } };
const LOCK_WAIT = { timeoutMs: 60_000, everyMs: 250 };

/**
 * @typedef {object} Merging
 * @property {() => boolean} done is what can be merged merged?
 * @property {() => void} stop puts the machine's settings back
 */

/**
 * Before the processes start, for it notices when they do.
 * @param {string} level
 * @returns {Promise<Merging>}
 * @throws {Error} KSM_UNSUPPORTED, KSM_PERMISSION, KSM_LOCKED
 */
export async function startMerging(level) {
  const { madvise, prctl, personality, missing } = probeFeatures();
  if ((!madvise && !prctl) || (level === 'identical' && !personality)) {
    throw new PitvError('KSM_UNSUPPORTED', `no level ${level} here, without ${missing.join(', ')}`);
  }
  const controller = new KsmController(FAST);
  await startController(controller, LOCK_WAIT);
  process.once('exit', () => controller.stop());
  process.once('SIGTERM', () => process.exit(1)); // the harness is ended
  return { done: () => controller.mode === 'trickle', stop: () => controller.stop() };
}
