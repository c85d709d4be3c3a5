/**
 * Runs scenarios: rounds in which every configuration is measured once, in an order shuffled anew
 * each round (seeded, so that it can be had again), each sample in a fresh process. What slows the
 * machine down for a while then slows all of them. The first round only warms up (files into the page
 * cache, clocks up) and is thrown away.
 */
import { rmSync } from 'node:fs';
import { messageOf } from '../../app/errors.js';
import { readVersion } from '../../app/version.js';
import { Clock, guesses, nodeStartSeconds } from './clock.js';
import { startReaper } from './reaper.js';
import { machineFacts, passingFacts } from '../machine/facts.js';
import { assemble } from '../report/results.js';
import { seededIndex } from '../stats/stats.js';
import { runSample } from './run-sample.js';
import { makeWorkDir } from './work-dir.js';

export const RUNS = 30;
export const RUNS_QUICK = 3;
/** Rounds that are thrown away; a quick run has none. */
const WARM_UPS = 1;
/** So many failures without a success, and a configuration is not tried any more. */
const GIVE_UP_FAILURES = 3;

/**
 * @typedef {import('./scenarios.js').LoadedScenario} Scenario
 * @typedef {import('./scenarios.js').Configuration} Configuration
 * @typedef {import('../report/results.js').Results} Results
 *
 * @typedef {object} Progress
 * @property {number} done @property {number} total samples
 * @property {string} scenario @property {Configuration} configuration being measured
 * @property {number} [left] seconds, as far as can be told
 *
 * @typedef {object} Plan
 * @property {Scenario} scenario
 * @property {Configuration[]} configurations
 * @property {import('./scenarios.js').Sample[]} samples
 *
 * @typedef {object} RunOptions
 * @property {number} [runs] @property {boolean} [quick]
 * @property {number} [seed] of the orders and of the bootstrap
 * @property {number} [warmUps]
 * @property {string[]} [engines] only these; likewise workers, levels
 * @property {number[]} [workers] @property {string[]} [levels]
 * @property {string} [scratch] folder for what samples share; where it suits best if not said
 * @property {AbortSignal} [signal]
 * @property {(plan: {samples: number, seconds?: number}) => void} [onStart] seconds: a guess
 * @property {(progress: Progress) => void} [onProgress]
 */

/**
 * @param {Scenario[]} scenarios
 * @param {RunOptions} [options]
 * @returns {Promise<Results>} also when the signal cut it short
 */
export async function runScenarios(scenarios, options = {}) {
  const workDir = makeWorkDir(options.scratch);
  const reaper = startReaper(workDir);
  try {
    return await runIn(workDir, reaper, scenarios, options);
  } finally {
    rmSync(workDir, { recursive: true, force: true });
    reaper.end();
  }
}

/**
 * @param {string} workDir @param {import('./reaper.js').Reaper} reaper
 * @param {Scenario[]} scenarios @param {RunOptions} options
 * @returns {Promise<Results>}
 */
async function runIn(workDir, reaper, scenarios, options) {
  const { quick = false, seed = Date.now() >>> 0, signal, onStart, onProgress } = options;
  const { runs = quick ? RUNS_QUICK : RUNS, warmUps = quick ? 0 : WARM_UPS } = options;
  const plans = scenarios.map((scenario) => planOf(scenario, options));
  const rounds = warmUps + runs;
  const all = plans.flatMap(({ configurations }) => configurations);
  const tells = plans.some(({ scenario }) => scenario.cost);
  const startSeconds = tells ? nodeStartSeconds() : 0;
  const clock = new Clock(all, rounds, guesses(plans, { quick, startSeconds }));
  let total = all.length * rounds;
  onStart?.({ samples: total, seconds: clock.left });
  const startedAt = new Date().toISOString();
  const before = passingFacts();
  /** @type {import('../report/results.js').Failure[]} */
  const failures = [];
  const shuffle = makeShuffle(seed);
  let done = 0;
  for (const { scenario, configurations, samples } of plans) {
    /** @type {Map<Configuration, number>} failures in a row; Infinity: not to be tried any more */
    const strikes = new Map();
    for (let round = -warmUps; round < runs; round++) {
      for (const configuration of shuffle(configurations)) {
        if (signal?.aborted) break;
        const failed = strikes.get(configuration) ?? 0;
        if (failed >= GIVE_UP_FAILURES) {
          total--;
          clock.skip(configuration);
          continue;
        }
        onProgress?.({ done, total, scenario: scenario.name, configuration, left: clock.left });
        const began = performance.now();
        try {
          const context = { round: Math.max(0, round), quick, workDir };
          const timeoutMs = clock.timeoutMs(configuration, scenario.timeoutMs);
          const how = { signal, reaper, timeoutMs };
          const sample = await runSample(scenario, configuration, context, how);
          strikes.set(configuration, -Infinity);
          const { metrics, facts = {} } = sample;
          if (round >= 0) samples.push({ configuration, round, metrics, facts });
        } catch (error) {
          if (signal?.aborted) break;
          const message = messageOf(error);
          failures.push({ scenario: scenario.name, configuration, round, message });
          strikes.set(configuration, isForGood(error) ? Infinity : failed + 1);
        }
        clock.took(configuration, (performance.now() - began) / 1000);
        done++;
      }
    }
  }
  const machine = { ...machineFacts(), before, after: passingFacts() };
  return assemble(plans, {
    pitv: await readVersion(),
    startedAt,
    complete: done === total,
    method: { runs, warmUps, quick, seed },
    machine,
    failures,
  });
}

/** @param {Scenario} scenario @param {RunOptions} options @returns {Plan} */
function planOf(scenario, { quick = false, engines, workers, levels }) {
  const all = scenario.configurations({ quick, engines, workers, levels });
  const configurations = all.filter(
    (one) => fits(one.engine, engines) && fits(one.workers, workers) && fits(one.level, levels),
  );
  return { scenario, configurations, samples: [] };
}

/** What a configuration does not have can't be asked for. @template T @param {T | null | undefined} value @param {T[]} [asked] */
function fits(value, asked) {
  return asked === undefined || value === undefined || value === null || asked.includes(value);
}

/** What this machine or this installation lacks, it lacks in each round. @param {unknown} error */
function isForGood(error) {
  const code = String(Reflect.get(Object(error), 'code'));
  return /_(UNSUPPORTED|PERMISSION|MISSING)$|^ERR_MODULE_NOT_FOUND$|^PITV_BENCH_/.test(code);
}

/** @param {number} seed @returns {<T>(items: T[]) => T[]} Fisher-Yates, on a copy */
function makeShuffle(seed) {
  const index = seededIndex(seed);
  return (items) => {
    const shuffled = [...items];
    for (let i = shuffled.length - 1; i > 0; i--) {
      const j = index(i + 1);
      [shuffled[i], shuffled[j]] = [shuffled[j], shuffled[i]];
    }
    return shuffled;
  };
}
