/** `pitv bench ...`: runs the benchmark harness, which parses its own options. */
import { PitvError } from '../errors.js';

export const summary = 'run benchmarks: `pitv bench run <scenario>`, `pitv bench list`';

/** @param {string[]} argv @returns {Promise<number | void>} */
export async function run(argv) {
  // A URL instead of a literal specifier: the harness may be missing on a device.
  const harness = new URL('../../bench/cli.js', import.meta.url);
  let bench;
  try {
    bench = await import(harness.href);
  } catch (error) {
    const missing = /** @type {{code?: string, url?: string}} */ (error);
    if (missing.code === 'ERR_MODULE_NOT_FOUND' && missing.url === harness.href) {
      const sentence =
        'The benchmarks (bench/) are not installed. Use a checkout of the repository.';
      throw new PitvError('PITV_BENCH_MISSING', sentence, { cause: error });
    }
    throw error;
  }
  return bench.main(argv);
}
