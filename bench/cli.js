/** `pitv bench`: the harness's command line. */
import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { PitvError, messageOf } from '../app/errors.js';
import { loadScenario, scenarioNames } from './index.js';
import { describe, formatResults } from './report.js';
import { RUNS, RUNS_QUICK, runScenarios } from './run.js';

const HELP = `pitv bench list
    the scenarios
pitv bench run <scenario>... [options]
    measures, prints a table
    --quick       fewer and shorter runs: ${RUNS_QUICK} instead of ${RUNS}, for a first look
    --runs N      samples of each, 1..1000, each in a fresh process; default ${RUNS}
    --seed N      of the order in which they are taken, 0..4294967295; default: the clock
    --json FILE   writes everything that was measured
`;

const OPTIONS = /** @type {const} */ ({
  quick: { type: 'boolean' },
  runs: { type: 'string' },
  seed: { type: 'string' },
  json: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
});

/**
 * @param {string[]} argv what follows `pitv bench`
 * @returns {Promise<number>} exit status: 0, or 1 when something could not be measured
 * @throws {PitvError} PITV_USAGE
 */
export async function main(argv) {
  const { values, positionals } = parse(argv);
  const [command, ...names] = positionals;
  if (values.help || command === undefined || command === 'help') {
    process.stdout.write(HELP);
    return 0;
  }
  if (command === 'list') return list();
  if (command !== 'run') throw usage(`There is no 'bench ${command}'; there is list and run.`);
  if (names.length === 0) {
    throw usage(`Name one or more scenarios: ${scenarioNames().join(', ')}.`);
  }
  const runs = whole('runs', values.runs, 1, 1000);
  const seed = whole('seed', values.seed, 0, 0xffffffff);
  const scenarios = await Promise.all([...new Set(names)].map(loadScenario));
  if (values.json !== undefined) writeAtomically(values.json, ''); // better now than afterwards
  return run(scenarios, { runs, seed, quick: values.quick, json: values.json });
}

/** @param {string[]} argv */
function parse(argv) {
  try {
    return parseArgs({ args: argv, options: OPTIONS, allowPositionals: true });
  } catch (error) {
    throw usage(messageOf(error).split(/\n|\. /)[0].replace(/\.?$/, '.'));
  }
}

/** @param {string} problem */
function usage(problem) {
  return new PitvError('PITV_USAGE', `${problem} 'pitv bench --help' lists what there is.`);
}

/**
 * @param {string} name @param {string | undefined} text @param {number} least @param {number} most
 * @returns {number | undefined}
 */
function whole(name, text, least, most) {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= least && value <= most) return value;
  throw usage(`--${name} must be a whole number from ${least} to ${most}, not '${text}'.`);
}

async function list() {
  for (const name of scenarioNames()) {
    const { title } = await loadScenario(name);
    process.stdout.write(`${name.padEnd(12)} ${title}\n`);
  }
  return 0;
}

/**
 * @param {import('./index.js').LoadedScenario[]} scenarios
 * @param {{runs?: number, seed?: number, quick?: boolean, json?: string}} options
 */
async function run(scenarios, { json, ...options }) {
  const interrupt = new AbortController();
  const stop = () => interrupt.abort();
  process.once('SIGINT', stop).once('SIGTERM', stop);
  const progress = makeProgress();
  const results = await runScenarios(scenarios, {
    ...options,
    signal: interrupt.signal,
    onProgress: progress.show,
  });
  progress.clear();
  process.removeListener('SIGINT', stop).removeListener('SIGTERM', stop);
  process.stdout.write(formatResults(results, scenarios));
  if (json !== undefined) writeAtomically(json, JSON.stringify(results, null, 2) + '\n');
  return results.complete && results.failures.length === 0 ? 0 : 1;
}

/** One line that is written over, on a terminal only. */
function makeProgress() {
  const startedAt = performance.now();
  const { stderr } = process;
  return {
    /** @param {import('./run.js').Progress} progress */
    show({ done, total, scenario, configuration }) {
      if (!stderr.isTTY) return;
      const perSample = (performance.now() - startedAt) / Math.max(1, done);
      const seconds = Math.ceil((perSample * (total - done)) / 1000);
      const left = done === 0 ? '' : `, about ${seconds} s left`;
      const text = `${done + 1}/${total} ${scenario}: ${describe(configuration)}${left}`;
      stderr.write(`\r\x1b[K${text.slice(0, stderr.columns - 1)}`);
    },
    clear() {
      if (stderr.isTTY) stderr.write('\r\x1b[K');
    },
  };
}

/**
 * A reader sees the old file or the whole new one. Empty text only tries whether it can be done.
 * @param {string} file @param {string} text
 */
function writeAtomically(file, text) {
  const fresh = `${file}.${process.pid}.tmp`;
  try {
    writeFileSync(fresh, text);
    if (text === '') rmSync(fresh);
    else renameSync(fresh, file);
  } catch (error) {
    throw usage(`${file} can't be written: ${messageOf(error)}.`);
  }
}
