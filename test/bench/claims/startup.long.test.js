/** The zygote starts a worker several times faster than the other engines. */
import { before, describe, test } from 'node:test';
import { measure } from './measure.js';

/**
 * The least that the others may take, in starts of the zygote: half of what is usual. The times of spares are short and
 * close to each other (5, 6 and 2 ms), and one late wake-up doubles them: they take more rounds, and the test finds
 * only a spare fork that takes twice as long as the other spares.
 */
const CLAIMS = Object.freeze([
  { variant: 'on demand', rounds: 3, ratios: { thread: 4, process: 5 } },
  { variant: 'spare', rounds: 7, ratios: { thread: 0.5, process: 0.5 } },
  { variant: '8 at once', rounds: 3, ratios: { thread: 5, process: 8 } },
]);

for (const { variant, rounds, ratios } of CLAIMS) {
  describe(`start-up, ${variant}`, () => {
    /** @type {import('./measure.js').Measurement} */
    let starts;
    before(async () => {
      const wanted = (/** @type {{variant: string}} */ configuration) =>
        configuration.variant === variant;
      starts = await measure('startup', rounds, { wanted });
    });

    for (const [engine, ratio] of Object.entries(ratios)) {
      test(`a ${engine} takes more than ${ratio} times as long as a fork`, () => {
        starts.assertRatio('ready', { variant, engine }, { variant, engine: 'zygote' }, ratio);
      });
    }
  });
}
