/**
 * Runs scenarios: rounds in which every configuration is measured once, in an order shuffled anew
 * each round (seeded, so that it can be had again), each sample in a fresh process. What slows the
 * machine down for a while then slows all of them.
 */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { messageOf } from '../app/errors.js';
import { randomWord, seedRandom } from '../app/game/rng.js';
import { readVersion } from '../app/version.js';
import { machineFacts } from './machine.js';
import { median } from './stats.js';

export const SCHEMA = 1;
export const RUNS = 30;
export const RUNS_QUICK = 3;
const SAMPLE_TIMEOUT_MS = 120_000;
const sampleScript = fileURLToPath(new URL('sample.js', import.meta.url));

/**
 * @typedef {import('./index.js').LoadedScenario} Scenario
 * @typedef {import('./index.js').Configuration} Configuration
 *
 * @typedef {object} Row
 * @property {string} scenario @property {string} variant
 * @property {string | null} engine @property {string | null} level
 * @property {number | null} workers @property {number | null} n
 * @property {string} metric @property {string} unit
 * @property {number[]} samples in the order of the rounds @property {number} median
 *
 * @typedef {object} Results
 * @property {string} pitv version @property {number} schema
 * @property {string} suite the scenarios' names @property {string} startedAt ISO 8601
 * @property {boolean} complete false: cut short, the rows hold what was measured until then
 * @property {{runs: number, quick: boolean, seed: number}} method
 * @property {ReturnType<typeof machineFacts>} machine
 * @property {Row[]} rows
 * @property {{scenario: string, configuration: Configuration, round: number, message: string}[]} failures
 * @property {string[]} notes
 *
 * @typedef {object} Progress
 * @property {number} done @property {number} total samples
 * @property {string} scenario @property {Configuration} configuration being measured
 */

/**
 * @param {Scenario[]} scenarios
 * @param {{runs?: number, quick?: boolean, seed?: number, signal?: AbortSignal,
 *   onProgress?: (progress: Progress) => void}} [options]
 * @returns {Promise<Results>} also when the signal cut it short
 */
export async function runScenarios(scenarios, options = {}) {
  const { quick = false, seed = Date.now() >>> 0, signal, onProgress } = options;
  const { runs = quick ? RUNS_QUICK : RUNS } = options;
  const plans = scenarios.map((scenario) => {
    const configurations = scenario.configurations({ quick });
    return { scenario, configurations, samples: /** @type {import('./index.js').Sample[]} */ ([]) };
  });
  const total = plans.reduce((sum, plan) => sum + plan.configurations.length * runs, 0);
  /** @type {Results} */
  const results = {
    pitv: await readVersion(),
    schema: SCHEMA,
    suite: scenarios.map(({ name }) => name).join(' '),
    startedAt: new Date().toISOString(),
    complete: true,
    method: { runs, quick, seed },
    machine: machineFacts(),
    rows: [],
    failures: [],
    notes: [],
  };
  const shuffle = makeShuffle(seed);
  let done = 0;
  for (const { scenario, configurations, samples } of plans) {
    for (let round = 0; round < runs; round++) {
      for (const configuration of shuffle(configurations)) {
        if (signal?.aborted) break;
        onProgress?.({ done, total, scenario: scenario.name, configuration });
        try {
          const context = { round, quick };
          const { metrics, facts = {} } = await takeSample(
            scenario,
            configuration,
            context,
            signal,
          );
          samples.push({ configuration, round, metrics, facts });
        } catch (error) {
          if (signal?.aborted) break;
          const message = messageOf(error);
          results.failures.push({ scenario: scenario.name, configuration, round, message });
        }
        done++;
      }
    }
  }
  results.complete = done === total;
  for (const { scenario, configurations, samples } of plans) {
    results.rows.push(...configurations.flatMap((one) => rowsOf(scenario, one, samples)));
    results.notes.push(...(scenario.notes?.(samples) ?? []));
  }
  return results;
}

/**
 * @param {Scenario} scenario @param {Configuration} configuration
 * @param {import('./index.js').Sample[]} samples
 * @returns {Row[]} one a metric; none when nothing was measured
 */
function rowsOf(scenario, configuration, samples) {
  const mine = samples.filter((sample) => sample.configuration === configuration);
  if (mine.length === 0) return [];
  const { variant, engine = null, level = null, workers = null, n = null } = configuration;
  return scenario.metrics.map(({ name: metric, unit }) => {
    const numbers = mine.map(({ metrics }) => metrics[metric]);
    const head = { scenario: scenario.name, variant, engine, level, workers, n, metric, unit };
    return { ...head, samples: numbers, median: median(numbers) };
  });
}

/**
 * One sample in a fresh process.
 * @param {Scenario} scenario @param {Configuration} configuration
 * @param {import('./index.js').SampleContext} context @param {AbortSignal} [signal]
 * @returns {Promise<import('./index.js').SampleResult>}
 */
async function takeSample(scenario, configuration, context, signal) {
  const request = JSON.stringify({ url: scenario.url, configuration, context });
  const child = spawn(process.execPath, [sampleScript, request], {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
    timeout: scenario.timeoutMs ?? SAMPLE_TIMEOUT_MS,
    killSignal: 'SIGKILL',
    signal,
  });
  let output = '';
  let errors = '';
  const [, , stderr, results] = child.stdio;
  stderr?.on('data', (text) => (errors += text));
  results?.on('data', (text) => (output += text));
  const [code, reason] = await new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (...ending) => resolve(ending));
  });
  if (code === 0 && output !== '') return JSON.parse(output);
  if (reason === 'SIGKILL') throw new Error('ended after its time was up');
  // Of a stack trace, the line that names the error.
  const named = errors.split('\n').find((line) => /^\w*Error\b/.test(line.trim()));
  throw new Error(named ?? (errors.trim().split('\n').pop() || `ended with ${code ?? reason}`));
}

/** @param {number} seed @returns {<T>(items: T[]) => T[]} Fisher-Yates, on a copy */
function makeShuffle(seed) {
  const words = new Uint32Array(4);
  seedRandom(words, 0, seed);
  return (items) => {
    const shuffled = [...items];
    for (let i = shuffled.length - 1; i > 0; i--) {
      const j = Math.floor((randomWord(words, 0) / 4294967296) * (i + 1));
      [shuffled[i], shuffled[j]] = [shuffled[j], shuffled[i]];
    }
    return shuffled;
  };
}
