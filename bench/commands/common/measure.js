/** Measures for `run` and `paper`: shows the progress, writes the files and prints the results. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ENGINES } from '../../../app/engine/index.js';
import { messageOf } from '../../../app/errors.js';
import { makeDirectory } from '../../../app/storage/store.js';
import { changedFiles, currentCommit } from '../../machine/conditions.js';
import { NAME, writePublished } from '../../report/published/store.js';
import { formatResults } from '../../report/terminal.js';
import { labelOf } from '../../report/text.js';
import { MAX_RUNS, runScenarios } from '../../harness/run.js';
import { RUNTIME_NAMES } from '../../harness/runtimes.js';
import { usage, whole, words, writeAtomically } from './usage.js';

/** @typedef {import('../../report/results.js').Results} Results */

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/** Lines of progress of a run without a terminal, as on the admin page. */
const PROGRESS_LINES = 20;
/** SIGHUP: the terminal has been closed; the files are still written. */
const SIGNALS = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);

export const OPTIONS = /** @type {const} */ ({
  quick: { type: 'boolean' },
  runs: { type: 'string' },
  seed: { type: 'string' },
  engines: { type: 'string' },
  workers: { type: 'string' },
  levels: { type: 'string' },
  nodes: { type: 'string' },
  json: { type: 'string' },
  out: { type: 'string' },
  publish: { type: 'string' },
});

/** Engines of pitv, and runtimes that dispatch and startup compare with them. */
export const ENGINE_NAMES = Object.freeze([...ENGINES, 'node', ...RUNTIME_NAMES]);

/**
 * Reads names.
 * @param {'engines' | 'levels'} option @param {string | undefined} text @param {readonly string[]} known
 */
function namesOf(option, text, known) {
  const names = words(option, text);
  const wrong = names?.find((name) => !known.includes(name));
  if (wrong)
    throw usage(`--${option}: there is no '${wrong}'. The ${option} are ${known.join(', ')}.`);
  return names;
}

/**
 * Checks the options.
 * @param {import('../../harness/scenarios.js').LoadedScenario[]} scenarios
 * @param {Record<string, any>} values from parseArgs with OPTIONS
 */
function settingsOf(scenarios, values) {
  const all = scenarios.flatMap((scenario) => scenario.configurations({ quick: false }));
  const levels = [...new Set(['off', ...all.flatMap(({ level }) => level ?? [])])];
  return {
    quick: Boolean(values.quick),
    runs: whole('runs', values.runs, 1, MAX_RUNS),
    seed: whole('seed', values.seed, 0, 0xffffffff),
    engines: namesOf('engines', values.engines, ENGINE_NAMES),
    workers: words('workers', values.workers)?.map((text) => Number(whole('workers', text, 0, 64))),
    levels: namesOf('levels', values.levels, levels),
    nodes: words('nodes', values.nodes)?.map((text) => String(whole('nodes', text, 20, 99))),
  };
}

/**
 * Returns the exit status of a run. Configurations that this machine cannot measure do not matter, unless a scenario
 * has no others.
 * @param {Results} results
 * @returns {number} 1 if the run was interrupted, a sample failed, or a scenario was skipped as a whole
 */
export function exitStatus({ complete, failures, skipped, rows }) {
  const isSkipped = skipped.some(({ scenario }) => !rows.some((row) => row.scenario === scenario));
  return complete && failures.length === 0 && !isSkipped ? 0 : 1;
}

/** Options that the command of published results does not contain. */
const OUTPUTS = /^--(publish|json|out)(=|$)/;

/**
 * Prepares to store results: checks the name, and that the code is committed.
 * @param {string} name @param {string} command that measures the results
 * @returns {(results: Results) => void} stores them, if they are complete
 */
export function prepareStorage(name, command) {
  if (!NAME.test(name))
    throw usage(`--publish ${name}: use lower-case letters, digits and dashes.`);
  const commit = currentCommit();
  if (commit === undefined) throw usage('--publish: without Git the measured version is unknown.');
  const [changed] = changedFiles();
  if (changed) throw usage(`--publish: commit ${changed} first, because results name a commit.`);
  return (results) => {
    if (results.complete)
      writePublished(ROOT, name, { ...results, provenance: { commit, command } });
  };
}

/** Returns the command without the options that name files. @param {string[]} argv its words, without `pitv` */
export function publishedCommand(argv) {
  const kept = argv.filter(
    (word, i) => !OUTPUTS.test(word) && !(OUTPUTS.test(argv[i - 1]) && !argv[i - 1].includes('=')),
  );
  return ['pitv', ...kept].join(' ');
}

/**
 * Checks the files that the options name. Creates the folder of --out.
 * @param {Record<string, any>} values
 * @returns {Promise<(results: Results, report: string) => void>} writes the files; report: for the terminal
 */
async function prepareFiles({ out, json = out === undefined ? out : join(out, 'results.json') }) {
  if (out !== undefined) {
    await makeDirectory(out, 0o777).catch((error) => {
      throw usage(`${out} can't be created: ${messageOf(error)}.`);
    });
  }
  const write = (/** @type {string} */ text, /** @type {string} */ report) => {
    if (json !== undefined) writeAtomically(json, text);
    if (out !== undefined) writeAtomically(join(out, 'report.txt'), report);
  };
  write('', '');
  return (results, report) => write(`${JSON.stringify(results, null, 2)}\n`, report);
}

/**
 * Measures scenarios as the options say, writes the files that they name, and prints the results.
 * @param {import('../../harness/scenarios.js').LoadedScenario[]} scenarios
 * @param {Record<string, any>} values from parseArgs with OPTIONS
 * @param {(results: Results) => string} [format] for the terminal
 * @returns {Promise<number>} exit status
 */
export async function measure(scenarios, values, format = formatResults) {
  const settings = settingsOf(scenarios, values);
  const command = publishedCommand(process.argv.slice(2));
  const publish = values.publish === undefined ? () => {} : prepareStorage(values.publish, command);
  const write = await prepareFiles(values);
  const results = await runShown(scenarios, { ...settings, scratch: values.out });
  const { rows, failures, skipped, complete } = results;
  if (rows.length + failures.length + skipped.length === 0 && complete) {
    throw usage('No configuration matches --engines, --workers and --levels.');
  }
  const report = format(results);
  try {
    // Before printing, which fails when the terminal is closed.
    publish(results);
    write(results, report);
  } finally {
    process.stdout.write(report);
  }
  return exitStatus(results);
}

/**
 * Measures, and shows the progress. The first Ctrl-C ends the run and keeps the samples, the second one ends the
 * harness.
 * @param {import('../../harness/scenarios.js').LoadedScenario[]} scenarios
 * @param {import('../../harness/run.js').RunOptions} options
 */
async function runShown(scenarios, options) {
  const { stderr } = process;
  const interrupt = new AbortController();
  const stop = () => interrupt.abort();
  for (const name of SIGNALS) process.once(name, stop);
  try {
    return await runScenarios(scenarios, {
      ...options,
      signal: interrupt.signal,
      onProgress({ done, total, scenario, configuration, left }) {
        const rest = left === undefined ? '' : `, about ${duration(left)} left`;
        if (stderr.isTTY) {
          const text = `${done + 1}/${total} ${scenario}: ${labelOf(configuration)}${rest}`;
          stderr.write(`\r\x1b[K${text.slice(0, stderr.columns - 1)}`); // overwrites the line
        } else if (done % Math.ceil(total / PROGRESS_LINES) === 0) {
          stderr.write(`${done} of ${total} samples${rest}.\n`);
        }
      },
    });
  } finally {
    if (stderr.isTTY) stderr.write('\r\x1b[K');
    for (const name of SIGNALS) process.removeListener(name, stop);
  }
}

/** Formats a duration. @param {number} seconds */
function duration(seconds) {
  if (seconds < 100) return `${Math.ceil(seconds)} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 100 ? `${minutes} min` : `${(minutes / 60).toFixed(1)} h`;
}
