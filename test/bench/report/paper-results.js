/** Makes results of the paper's scenarios with known ratios. */
import { simulateResults } from './simulated-results.js';

const RUNS = 12;
const HOSTILE = '</script><script>alert(1)</script>';
const ENGINES = ['process', 'thread', 'zygote'];
/** Part of what a process takes. */
const RELATIVE = /** @type {Record<string, number>} */ ({ thread: 0.8, zygote: 0.5, mark: 0.96 });

/**
 * Makes a scenario whose samples have a spread of 4 %.
 * @param {string} name @param {string} metric
 * @param {import('../../../bench/harness/scenarios.js').Scenario['reference']} reference
 * @param {import('../../../bench/harness/scenarios.js').Configuration[]} configurations
 */
const scenarioOf = (name, metric, reference, configurations) => ({
  name,
  title: `${name} ${HOSTILE}`,
  metrics: [{ name: metric, unit: 'KiB' }],
  reference,
  configurations,
  valueOf: (
    /** @type {import('../../../bench/harness/scenarios.js').Configuration} */ one,
    /** @type {number} */ round,
  ) => {
    const part = RELATIVE[String(one.level ?? one.engine)] ?? 1;
    return 100 * part * (one.workers ?? 1) * (1 + 0.01 * ((round * 7) % 5));
  },
});

/** Makes results in which a thread takes 80 % of a process, a zygote 50 %, and `mark` saves 4 %. */
export function paperResults() {
  const starts = ['on demand', 'spare', '8 at once'].flatMap((variant) =>
    ENGINES.map((engine) => ({ variant, engine })),
  );
  const loaded = [1, 2, 4].flatMap((workers) => [
    ...ENGINES.map((engine) => ({ variant: engine, engine, workers })),
    { variant: 'process + KSM', engine: 'process', level: 'mark', workers },
  ]);
  return simulateResults(
    [
      scenarioOf('startup', 'ready', { engine: 'process' }, starts),
      scenarioOf('memory', 'pss', 'process', loaded),
    ],
    { runs: RUNS },
  );
}
