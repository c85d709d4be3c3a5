/**
 * Lists and loads the scenarios. Each is a folder in scenarios/, whose index.js declares the compared configurations
 * and takes one sample. run.js does the rest.
 */
import { existsSync, readdirSync } from 'node:fs';
import { PitvError } from '../../app/errors.js';
import { hasValues } from '../report/text.js';

/**
 * What a row of the results measures. A scenario uses the fields that it needs.
 * @typedef {object} Configuration
 * @property {string} variant the compared implementation
 * @property {string} [node] major version of the Node.js that takes the sample, if it is not always the harness's
 * @property {string | null} [engine] thread, process, zygote; node, bun, deno: workers without an engine
 * @property {string | null} [level] of KSM, or another setting of the same engine
 * @property {number | null} [workers]
 * @property {number | null} [n] size of the problem
 *
 * @typedef {object} SampleResult
 * @property {Record<string, number>} metrics a number for each metric of the scenario
 * @property {Record<string, any>} [facts] other data for the scenario's derive() and notes()
 *
 * @typedef {object} Sample
 * @property {Configuration} configuration @property {number} round
 * @property {Record<string, number>} metrics @property {Record<string, any>} facts
 *
 * @typedef {object} Occasion of a sample
 * @property {number} round 0, 1, ...; warm-ups have 0, too
 * @property {boolean} quick
 * @property {string} workDir a folder of this run of the harness, for files that samples share
 *
 * @typedef {Occasion & {after: (end: () => unknown) => void, phases: Record<string, number>}} SampleContext
 *   after: ends what the sample has started; called when it has been taken or has failed, the newest first. phases:
 *   their durations, ms
 *
 * @typedef {object} Selection options of the command line; the runner removes configurations that do not match
 * @property {boolean} quick
 * @property {string[]} [engines] @property {number[]} [workers] @property {string[]} [levels]
 *
 * @typedef {object} Metric
 * @property {string} name @property {string} unit
 * @property {'lower' | 'higher'} [better] default 'lower'
 * @property {boolean} [compare] false: not compared with the reference, because it follows from another metric, or is
 *   neither better nor worse
 *
 * @typedef {object} Scenario
 * @property {string} name as on the command line
 * @property {string} title one line
 * @property {Metric[]} metrics
 * @property {string | Partial<Configuration>} [reference] the configuration that the others are compared with: a
 *   variant, or fields such as {engine: 'process'} or {level: 'off'}
 * @property {number} [minWorkers] smallest number of workers that it can measure, default 1
 * @property {number} [timeoutMs] for one sample, default 120 s
 * @property {(selection: Selection) => Configuration[]} configurations
 * @property {Record<string, [usual: number, quick: number]>} [phases] durations of the parts of a sample that take the
 *   same time on each machine, ms
 * @property {(configuration: Configuration) => string | undefined} [runtime] what runs the sample: a name of
 *   runtimes.js, or undefined for Node.js
 * @property {(configuration: Configuration, context: SampleContext) => Promise<SampleResult>} sample
 *   runs in a fresh process; if it throws, the sample fails, but not the run
 * @property {(samples: Sample[]) => void} [derive] adds metrics that depend on several samples
 * @property {(samples: Sample[]) => string[]} [notes] sentences for the readers of the results
 */

const folder = new URL('../scenarios/', import.meta.url);

/** Returns the names of all scenarios. @returns {string[]} sorted */
export function scenarioNames() {
  return readdirSync(folder)
    .filter((name) => existsSync(new URL(`${name}/index.js`, folder)))
    .sort();
}

/**
 * Finds the sample of the same round and version of Node.js whose configuration has some values.
 * @param {Sample[]} samples @param {Sample} sample @param {Partial<Configuration>} wanted
 */
export const findInRound = (samples, { round, configuration: { node } }, wanted) =>
  samples.find(
    (other) => other.round === round && hasValues(other.configuration, { node, ...wanted }),
  );

/** @typedef {Scenario & {url: string}} LoadedScenario url: of its file */

/** Loads a scenario. @param {string} name @returns {Promise<LoadedScenario>} @throws {PitvError} PITV_USAGE */
export async function loadScenario(name) {
  const names = scenarioNames();
  if (names.includes(name)) return importScenario(new URL(`${name}/index.js`, folder).href);
  const sentence = `There is no scenario '${name}'. The scenarios are ${names.join(', ')}.`;
  throw new PitvError('PITV_USAGE', sentence);
}

/** Imports a scenario. @param {string} url of its file @returns {Promise<LoadedScenario>} */
export async function importScenario(url) {
  const { default: scenario } = await import(url);
  return { ...scenario, url };
}
