/** What `run` and `paper` share: measuring with progress shown, and the files that come out. */
import { ENGINES } from '../../../app/engine/index.js';
import { toCsv } from '../../report/csv.js';
import { labelOf } from '../../report/results.js';
import { runScenarios } from '../../harness/run.js';
import { writeAtomically } from './files.js';
import { usage, whole, words } from './usage.js';

/** SIGHUP: the terminal is gone; the files are still wanted. */
const SIGNALS = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);

export const OPTIONS = /** @type {const} */ ({
  quick: { type: 'boolean' },
  runs: { type: 'string' },
  seed: { type: 'string' },
  engines: { type: 'string' },
  workers: { type: 'string' },
  levels: { type: 'string' },
  json: { type: 'string' },
  csv: { type: 'string' },
  html: { type: 'string' },
});

/** @param {Record<string, any>} values what parseArgs made of OPTIONS */
export function settingsOf(values) {
  const engines = words('engines', values.engines);
  const wrong = engines?.find((name) => !ENGINES.includes(name));
  if (wrong) throw usage(`--engines: there is no '${wrong}'; there is ${ENGINES.join(', ')}.`);
  return {
    quick: Boolean(values.quick),
    runs: whole('runs', values.runs, 1, 1000),
    seed: whole('seed', values.seed, 0, 0xffffffff),
    engines,
    workers: words('workers', values.workers)?.map((text) => Number(whole('workers', text, 1, 64))),
    levels: words('levels', values.levels),
  };
}

/** Better now than after an hour. @param {Record<string, any>} values */
export function tryFiles({ json, csv, html }) {
  for (const file of [json, csv, html]) if (file !== undefined) writeAtomically(file, '');
}

/**
 * @param {import('../../report/results.js').Results} results
 * @param {{json?: string, csv?: string, html?: string}} files
 */
export async function writeFiles(results, { json, csv, html }) {
  if (json !== undefined) writeAtomically(json, JSON.stringify(results, null, 2) + '\n');
  if (csv !== undefined) writeAtomically(csv, toCsv(results));
  if (html === undefined) return;
  const { toHtml } = await import('../../report/html/page.js');
  writeAtomically(html, toHtml(results));
}

/** Not to be cut short twice: the second Ctrl-C ends the harness. @param {import('../../harness/scenarios.js').LoadedScenario[]} scenarios @param {import('../../harness/run.js').RunOptions} options */
export async function measure(scenarios, options) {
  const interrupt = new AbortController();
  const stop = () => interrupt.abort();
  for (const name of SIGNALS) process.once(name, stop);
  const progress = makeProgress();
  try {
    return await runScenarios(scenarios, {
      ...options,
      signal: interrupt.signal,
      onStart: progress.start,
      onProgress: progress.show,
    });
  } finally {
    progress.clear();
    for (const name of SIGNALS) process.removeListener(name, stop);
  }
}

/** One line that is written over, on a terminal only. */
function makeProgress() {
  const { stderr } = process;
  return {
    /** @param {{samples: number, seconds?: number}} plan */
    start({ samples, seconds }) {
      const long = seconds === undefined ? '' : `, about ${duration(seconds)}`;
      if (samples > 0) stderr.write(`${samples} samples${long}.\n`);
    },
    /** @param {import('../../harness/run.js').Progress} progress */
    show({ done, total, scenario, configuration, left }) {
      if (!stderr.isTTY) return;
      const rest = left === undefined ? '' : `, about ${duration(left)} left`;
      const text = `${done + 1}/${total} ${scenario}: ${labelOf(configuration)}${rest}`;
      stderr.write(`\r\x1b[K${text.slice(0, stderr.columns - 1)}`);
    },
    clear() {
      if (stderr.isTTY) stderr.write('\r\x1b[K');
    },
  };
}

/** @param {number} seconds */
function duration(seconds) {
  if (seconds < 100) return `${Math.ceil(seconds)} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 100 ? `${minutes} min` : `${(minutes / 60).toFixed(1)} h`;
}
