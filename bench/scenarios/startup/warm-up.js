/** Measures how long an engine takes until it can start workers, and until it starts them as fast as it will. */
import { createEngine } from '../../../app/engine/index.js';
import { startTv } from '../../harness/remote-tv.js';

const DRAFT = 'warm-up: first fork possible';
const WARM = 'warm-up: zygote warm';
const TV = 'warm-up: TV, with all of its games';

/**
 * Names of the variants, and the engines for which they exist; undefined: all.
 * @type {Map<string, string[] | undefined>}
 */
export const WARM_UPS = new Map([
  [DRAFT, ['zygote']],
  [WARM, ['zygote']],
  [TV, undefined],
]);

/**
 * Measures a warm-up: from the call that creates the engine, or from the start of the TV's process.
 * @param {string} variant a key of WARM_UPS @param {string} engine @param {URL} job its module
 * @returns {Promise<number>} ms
 */
export async function timeWarmUp(variant, engine, job) {
  const began = performance.now();
  if (variant === TV) {
    const tv = await startTv({ engine, matches: 1 });
    const elapsed = performance.now() - began;
    await tv.stop();
    return elapsed;
  }
  const host = await createEngine(engine, { modules: [job], thorough: variant === WARM });
  const elapsed = performance.now() - began;
  await host.close();
  return elapsed;
}
