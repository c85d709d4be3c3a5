/** Makes results of the paper's scenarios with known ratios. */
import { machineFacts, passingFacts } from '../../../bench/machine/facts.js';
import { assemble } from '../../../bench/report/results.js';

const RUNS = 12;
const HOSTILE = '</script><script>alert(1)</script>';

/**
 * Makes the samples of one scenario, with a spread of 4 %.
 * @param {string} name @param {string} metric
 * @param {import('../../../bench/harness/scenarios.js').Scenario['reference']} reference
 * @param {import('../../../bench/harness/scenarios.js').Configuration[]} configurations
 * @param {(one: import('../../../bench/harness/scenarios.js').Configuration) => number} value
 */
function planOf(name, metric, reference, configurations, value) {
  const samples = configurations.flatMap((configuration) =>
    Array.from({ length: RUNS }, (_, round) => ({
      configuration,
      round,
      facts: {},
      metrics: { [metric]: value(configuration) * (1 + 0.01 * ((round * 7) % 5)) },
    })),
  );
  const scenario = {
    name,
    title: `${name} ${HOSTILE}`,
    url: '',
    reference,
    metrics: [{ name: metric, unit: 'KiB' }],
    configurations: () => configurations,
    sample: async () => samples[0],
  };
  return { scenario, configurations, samples };
}

/** Makes results in which a thread takes 80 % of a process, a zygote 50 %, and `mark` saves 4 %. */
export function paperResults() {
  const relative = /** @type {Record<string, number>} */ ({ process: 100, thread: 80, zygote: 50 });
  const engines = Object.keys(relative).map((engine) => ({ variant: engine, engine }));
  const starts = ['on demand', 'spare', '8 at once'].flatMap((variant) =>
    engines.map((one) => ({ ...one, variant })),
  );
  const loaded = [1, 2, 4].flatMap((workers) => engines.map((one) => ({ ...one, workers })));
  const levels = ['off', 'mark'].map((level) => ({ variant: level, level, workers: 4 }));
  const byEngine = (/** @type {{engine?: string | null}} */ { engine }) => relative[String(engine)];
  const passing = passingFacts();
  return assemble(
    [
      planOf('startup', 'ready', { engine: 'process' }, starts, byEngine),
      planOf('memory', 'pss', 'process', loaded, (one) => byEngine(one) * Number(one.workers)),
      planOf('ksm', 'pss', 'off', levels, ({ level }) => (level === 'off' ? 100 : 96)),
    ],
    {
      pitv: '0.1.0',
      startedAt: new Date(0).toISOString(),
      complete: true,
      failures: [],
      skipped: [],
      method: { runs: RUNS, warmUps: 0, quick: false, seed: 1 },
      machine: { ...machineFacts(), before: passing, after: passing },
    },
  );
}
