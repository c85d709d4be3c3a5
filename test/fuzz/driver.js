/** `make fuzz`: fuzzes all targets, or one. A crash, a leak or a hang of a target belongs to a process of its own. */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { tableOf } from '../../bench/report/markdown.js';
import { EXTENT } from '../support/extent.js';

const FOLDER = fileURLToPath(new URL('targets', import.meta.url));
/** @type {{name: string, file: string}[]} */
export const TARGETS = readdirSync(FOLDER)
  .sort()
  .map((file) => ({ name: basename(file, '.js'), file: join(FOLDER, file) }));
const PROGRAM = fileURLToPath(new URL('run-target.js', import.meta.url));
/** A round that takes longer hangs. */
const HANG_MS = 300_000;
const HEAP_MB = 1024;
const MAX_LEAK_KIB = 8 * 1024;
/** The place of the folders of targets. They sync many small files, which is fast enough in memory only. */
export const PARENT = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

/** @typedef {import('./run-target.js').Options} Options */
/** @typedef {import('./run-target.js').Report} Report */

/**
 * Runs a target, with a folder for its temporary files.
 * @param {(typeof TARGETS)[number]} target @param {Options} options @returns {Promise<Report>}
 */
export async function run({ name, file }, options) {
  const folder = await mkdtemp(join(PARENT, 'pitv-fuzz-'));
  const began = performance.now();
  const child = fork(PROGRAM, [file, JSON.stringify(options)], {
    execArgv: ['--expose-gc', `--max-old-space-size=${HEAP_MB}`],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: { ...process.env, TMPDIR: folder },
  });
  let { seed } = options;
  let ended = '';
  /** @type {Partial<Report> | undefined} */
  let report;
  const watchdog = setTimeout(() => {
    ended = `hung for ${HANG_MS} ms`;
    child.kill('SIGKILL');
  }, HANG_MS);
  child.on('message', (/** @type {any} */ message) => {
    watchdog.refresh();
    if (message.report) report = message.report;
    else seed = message.roundSeed;
  });
  const [code, signal] = await once(child, 'exit');
  clearTimeout(watchdog);
  await rm(folder, { recursive: true, force: true, maxRetries: 3 }); // a killed target may have children
  ended ||= `ended with ${signal ?? `code ${code}`}`;
  const seconds = (performance.now() - began) / 1000;
  const failure = { message: `The process ${ended}.`, seed, at: '', input: '' };
  const nothing = { inputs: 0, descriptors: 0, leakedKib: 0 };
  return { name, seconds, seed, ...nothing, ...(report ?? { failure }) };
}

/** Describes a leak. @param {Report} report @returns {string} empty without a leak */
export function leakOf({ descriptors, leakedKib }) {
  const found = [];
  if (descriptors > 0) found.push(`${descriptors} descriptors`);
  if (leakedKib > MAX_LEAK_KIB) found.push(`${Math.round(leakedKib / 1024)} MiB`);
  return found.join(', ');
}

/**
 * Describes a failure, with the command that repeats it.
 * @param {Report} report @returns {string} empty without a failure
 */
export function explain({ name, failure }) {
  if (!failure) return '';
  const { message, seed, at, input } = failure;
  const again = `make fuzz TARGET=${name} SEED=${seed}${at && ` AT=${at}`}`;
  return `${name}: ${message}\n  input: ${input || '(the process died)'}\n  repeat: ${again}`;
}

const number = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
/** @type {import('../../bench/report/markdown.js').Columns<Report>} */
const COLUMNS = [
  ['target', ({ name }) => name],
  ['inputs', ({ inputs }) => number.format(inputs)],
  ['seconds', ({ seconds }) => number.format(seconds)],
  ['inputs/s', ({ inputs, seconds }) => number.format(inputs / seconds)],
  ['seed', ({ seed }) => seed],
  ['crashes', ({ failure }) => (failure ? 1 : 0)],
  ['leaks', (report) => leakOf(report) || 'none'],
];

/** @type {import('../drive.js').Driver} */
export const driver = {
  title: 'Fuzzing',
  about: 'Fuzzes all targets, or one, and looks for crashes, unauthorised effects and leaks.',
  random: true,
  options: {
    MINUTES: { about: 'duration of all targets together', value: 5, above: 0, part: true },
    RUNS: { about: 'inputs for each target, instead of a duration', value: Infinity, above: 0 },
    TARGET: { about: 'only this target', value: '', choices: TARGETS.map(({ name }) => name) },
    AT: { about: 'only this input, as the message of a failure names it', value: '' },
  },
  async drive({ MINUTES, RUNS: runs, TARGET, SEED, AT }, { signal, show }) {
    process.env[EXTENT] = 'all'; // the targets' processes inherit it
    const targets = TARGETS.filter(({ name }) => !TARGET || name === TARGET);
    const seconds = runs === Infinity ? (MINUTES * 60) / targets.length : Infinity;
    const reports = [];
    for (const target of targets) {
      if (signal.aborted) break;
      const report = await run(target, { seed: SEED | 0, runs, seconds, at: AT || undefined });
      if (signal.aborted) break; // Ctrl-C has ended the target, too
      show(report);
      reports.push(report);
    }
    const problems = reports.flatMap((report) => {
      const leak = leakOf(report);
      if (report.failure) return explain(report);
      return leak ? `${report.name}: leaks ${leak} (seed ${report.seed})` : [];
    });
    const details = reports.flatMap((report) => report.details ?? []);
    // The published page of the packages quotes the first table.
    return { paragraphs: [...details, tableOf(COLUMNS, reports, 1)], problems };
  },
};
