/**
 * Lists and loads the scenarios: one folder each in scenarios/. A scenario's index.js declares what is
 * compared and how one sample is taken. run.js does the rest.
 */
import { existsSync, readdirSync } from 'node:fs';
import { PitvError } from '../../app/errors.js';

/**
 * What one row of the results measures. A scenario uses the fields that mean something to it.
 * @typedef {object} Configuration
 * @property {string} variant what is compared with the others
 * @property {string | null} [engine] thread, process, zygote
 * @property {string | null} [level] of KSM, or another setting of the same engine
 * @property {number | null} [workers]
 * @property {number | null} [n] size of the problem
 *
 * @typedef {object} SampleResult
 * @property {Record<string, number>} metrics a number for each of the scenario's metrics
 * @property {Record<string, any>} [facts] what the scenario's notes() wants to know; not a measurement
 *
 * @typedef {object} Sample
 * @property {Configuration} configuration @property {number} round
 * @property {Record<string, number>} metrics @property {Record<string, any>} facts
 *
 * @typedef {object} SampleContext
 * @property {number} round 0, 1, ...: the same for all configurations measured side by side
 * @property {boolean} quick
 * @property {string} workDir a folder of this run of the harness, for what samples can share
 *
 * @typedef {object} Asked on the command line; the runner drops what a scenario gives beyond that
 * @property {boolean} quick
 * @property {string[]} [engines] @property {number[]} [workers] @property {string[]} [levels]
 *
 * @typedef {object} Metric
 * @property {string} name @property {string} unit
 * @property {'lower' | 'higher'} [better] lower if not said
 * @property {boolean} [compare] false: it says the same as another metric, or nothing that is better or worse
 *
 * @typedef {object} Scenario
 * @property {string} name as on the command line
 * @property {string} title one line
 * @property {Metric[]} metrics
 * @property {string | Partial<Configuration>} [reference] what the others are compared with: a
 *   variant, or {engine: 'process'}, {level: 'off'}
 * @property {number} [timeoutMs] for one sample, default 120 s
 * @property {(asked: Asked) => Configuration[]} configurations
 * @property {(configuration: Configuration, how: {quick: boolean}) => {seconds: number, starts: number}} [cost]
 *   what a sample takes: seconds that any machine waits, and for the rest how many times as long as a
 *   bare start of Node, so that a run's length can be told at its beginning
 * @property {(configuration: Configuration, context: SampleContext) => Promise<SampleResult>} sample
 *   runs in a fresh process; what it throws fails this sample, not the run
 * @property {(samples: Sample[]) => void} [derive] fills in metrics that one sample alone can't know
 * @property {(samples: Sample[]) => string[]} [notes] what a reader has to know about the results
 */

const folder = new URL('../scenarios/', import.meta.url);

/** @returns {string[]} names, sorted */
export function scenarioNames() {
  return readdirSync(folder)
    .filter((name) => existsSync(new URL(`${name}/index.js`, folder)))
    .sort();
}

/** @typedef {Scenario & {url: string}} LoadedScenario url: of its file */

/**
 * @param {string} name
 * @returns {Promise<LoadedScenario>}
 * @throws {PitvError} PITV_USAGE
 */
export async function loadScenario(name) {
  const names = scenarioNames();
  if (!names.includes(name)) {
    throw new PitvError(
      'PITV_USAGE',
      `There is no scenario '${name}'. There are: ${names.join(', ')}.`,
    );
  }
  return importScenario(new URL(`${name}/index.js`, folder).href);
}

/** @param {string} url of a scenario's file @returns {Promise<LoadedScenario>} */
export async function importScenario(url) {
  const { default: scenario } = await import(url);
  return { ...scenario, url };
}
