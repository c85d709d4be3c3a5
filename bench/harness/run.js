/**
 * Runs scenarios, one after the other. A round measures every configuration of a scenario once, each in a fresh
 * process, in a random order that depends on the seed. So a slow period of the machine affects all configurations.
 * Before the counted rounds, each scenario runs one additional round as a warm-up (page cache, CPU clock), whose
 * samples are discarded; a quick run has no warm-up.
 */
import { rmSync } from 'node:fs';
import { shuffle } from 'simple-statistics';
import { ENGINES } from '../../app/engine/index.js';
import { messageOf } from '../../app/errors.js';
import { readVersion } from '../../app/version.js';
import { machineFacts, passingFacts } from '../machine/facts.js';
import { assemble } from '../report/results.js';
import { seededRandom } from '../stats/stats.js';
import { runSample } from './run-sample.js';
import { makeWorkDir } from './work-dir.js';

export const RUNS = 30;
/** The rank tests count all cases of so many samples within a second. */
export const MAX_RUNS = 100;
export const RUNS_QUICK = 3;
/** Additional rounds before the counted ones. A quick run has none. */
const WARM_UPS = 1;
/** A configuration is not measured any more after this many failures without a success. */
const MAX_FAILURES = 3;

/**
 * @typedef {import('./scenarios.js').LoadedScenario} Scenario
 * @typedef {import('./scenarios.js').Configuration} Configuration
 * @typedef {import('../report/results.js').Results} Results
 *
 * @typedef {object} Progress
 * @property {number} done @property {number} total number of samples
 * @property {string} scenario @property {Configuration} configuration that is being measured
 * @property {number} [left] estimated remaining time, seconds; unknown before the first sample
 *
 * @typedef {object} Plan
 * @property {Scenario} scenario
 * @property {Configuration[]} configurations
 * @property {import('./scenarios.js').Sample[]} samples
 *
 * @typedef {Partial<import('./scenarios.js').Selection> & Method} RunOptions
 *
 * @typedef {object} Method
 * @property {number} [runs]
 * @property {number} [seed] for the orders and for the bootstrap
 * @property {string[]} [nodes] major versions of Node.js, each of which measures all configurations
 * @property {string} [scratch] folder for files that samples share; see makeWorkDir()
 * @property {AbortSignal} [signal] interrupts the run
 * @property {(progress: Progress) => void} [onProgress] called before each sample
 */

/**
 * Runs scenarios.
 * @param {Scenario[]} scenarios
 * @param {RunOptions} [options]
 * @returns {Promise<Results>} incomplete if the signal interrupted the run
 */
export async function runScenarios(scenarios, options = {}) {
  const workDir = makeWorkDir(options.scratch);
  try {
    return await runIn(workDir, scenarios, options);
  } finally {
    rmSync(workDir, { recursive: true, force: true });
  }
}

/** @param {string} workDir @param {Scenario[]} scenarios @param {RunOptions} options @returns {Promise<Results>} */
async function runIn(workDir, scenarios, options) {
  const { quick = false, seed = Date.now() >>> 0, signal, onProgress } = options;
  const { runs = quick ? RUNS_QUICK : RUNS } = options;
  const warmUps = quick ? 0 : WARM_UPS;
  const plans = scenarios.map((scenario) => planOf(scenario, options));
  const rounds = warmUps + runs;
  let total = plans.flatMap(({ configurations }) => configurations).length * rounds;
  const startedAt = new Date().toISOString();
  const before = await passingFacts();
  /** @type {import('../report/results.js').Failure[]} */
  const failures = [];
  /** @type {import('../report/results.js').Skip[]} */
  const skipped = [];
  const random = seededRandom(seed);
  const began = performance.now();
  let done = 0;
  for (const { scenario, configurations, samples } of plans) {
    /** @type {Map<Configuration, number>} failures without a success; -Infinity: succeeded; Infinity: skipped */
    const failureCounts = new Map();
    for (let round = -warmUps; round < runs; round++) {
      for (const configuration of shuffle(configurations, random)) {
        if (signal?.aborted) break;
        const failed = failureCounts.get(configuration) ?? 0;
        if (failed >= MAX_FAILURES) {
          total--;
          continue;
        }
        const seconds = (performance.now() - began) / 1000;
        const left = done > 0 ? (seconds / done) * (total - done) : undefined;
        onProgress?.({ done, total, scenario: scenario.name, configuration, left });
        try {
          const context = { round: Math.max(0, round), quick, workDir };
          const sample = await runSample(scenario, configuration, context, signal);
          failureCounts.set(configuration, -Infinity);
          const { metrics, facts = {} } = sample;
          if (round >= 0) samples.push({ configuration, round, metrics, facts });
        } catch (error) {
          if (signal?.aborted) break;
          const message = messageOf(error);
          const isSkip = failed !== -Infinity && isMissing(error);
          if (isSkip) skipped.push({ scenario: scenario.name, configuration, message });
          else failures.push({ scenario: scenario.name, configuration, round, message });
          failureCounts.set(configuration, isSkip ? Infinity : failed + 1);
        }
        done++;
      }
    }
  }
  const machine = { ...machineFacts(), before, after: await passingFacts() };
  return assemble(plans, {
    pitv: readVersion(),
    startedAt,
    complete: done === total,
    method: { runs, warmUps, quick, seed },
    machine,
    failures,
    skipped,
  });
}

/** @param {Scenario} scenario @param {RunOptions} options @returns {Plan} */
function planOf(scenario, { quick = false, engines: names, workers: asked, levels, nodes }) {
  // Other scenarios would take the name of a runtime for an engine.
  const engines = scenario.runtime ? names : names?.filter((name) => ENGINES.includes(name));
  const workers = asked?.filter((count) => count >= (scenario.minWorkers ?? 1));
  const all = scenario.configurations({ quick, engines, workers, levels });
  const configurations = all.filter(
    (one) => fits(one.engine, engines) && fits(one.workers, workers) && fits(one.level, levels),
  );
  const ofNodes = nodes
    ? configurations.flatMap((one) =>
        scenario.runtime?.(one) ? one : nodes.map((node) => ({ ...one, node })),
      )
    : configurations;
  return { scenario, configurations: ofNodes, samples: [] };
}

/**
 * Returns whether a value is selected. A configuration without the value always is.
 * @template T @param {T | null | undefined} value @param {T[]} [selected] all if undefined
 */
function fits(value, selected) {
  return (
    selected === undefined || value === undefined || value === null || selected.includes(value)
  );
}

/**
 * Returns whether an error means that this machine or installation lacks something: a package, a program, a permission,
 * a feature of the kernel or of Node.js. Such a configuration is skipped.
 * @param {unknown} error
 */
function isMissing(error) {
  const code = String(Reflect.get(Object(error), 'code'));
  // The same code for a file would be a mistake in a scenario.
  if (code === 'ERR_MODULE_NOT_FOUND') return messageOf(error).includes('Cannot find package');
  return /_(UNSUPPORTED|PERMISSION|MISSING)$|^PITV_BENCH_/.test(code);
}
