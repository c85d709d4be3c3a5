/** `make faults`: injects seeded faults into a running TV and judges how matches recover. Needs a quiet machine. */
import { ENGINES } from '../../app/engine/index.js';
import { percentile } from '../support/judge.js';
import { TICK_MS } from '../support/played-match.js';
import { tableOf } from '../../bench/report/markdown.js';
import { runFaults } from './injector.js';

/**
 * What is judged: the time until a match is back, the ticks in a row that another one misses, and the time until all
 * processes have ended with the main one.
 */
const BOUNDS = Object.freeze({ backMs: 1000, gapTicks: 3, goneMs: 1000 });
/** The same on a busy machine, where only a match that is lost counts. */
export const BUSY = Object.freeze({ backMs: Infinity, gapTicks: 120, goneMs: Number.MAX_VALUE });
/** The part of the faults after which a match must be back in time. */
const BACK_SHARE = 0.99;

/** @typedef {import('./injector.js').FaultResult} FaultResult */

/**
 * Lists the broken assertions.
 * @param {import('./injector.js').RunResult} result
 * @param {Record<'backMs' | 'gapTicks' | 'goneMs', number>} [bounds] @returns {string[]} one sentence for each
 */
export function problemsOf({ faults, orphans }, bounds = BOUNDS) {
  const problems = faults.length > 0 ? [] : ['no fault was injected'];
  const late = faults.filter(({ backMs }) => backMs > bounds.backMs);
  const allowed = Math.floor((1 - BACK_SHARE) * faults.length);
  if (late.length > allowed) {
    const which = late.map(({ number }) => number).join(', ');
    const bound = `${bounds.backMs} ms (allowed: ${allowed})`;
    problems.push(`${late.length} matches were not back in ${bound}: ${which}`);
  }
  for (const fault of faults) {
    const { number, kind, goneMs = 0, leaked, wrong, gapTicks } = fault;
    const add = (/** @type {string} */ what) => problems.push(`fault ${number} (${kind}): ${what}`);
    if (gapTicks > bounds.gapTicks) add(`another match missed ${gapTicks} ticks in a row`);
    if (goneMs > bounds.goneMs)
      add(`processes were left ${goneMs.toFixed()} ms after the main process`);
    if (leaked > 0) add(`${leaked} descriptors or processes more than before`);
    for (const each of wrong) add(each);
  }
  if (orphans > 0) problems.push(`${orphans} processes were left at the end`);
  return problems;
}

/** @param {number} value */
const inMs = (value) => (value === Infinity ? 'lost' : value.toFixed());

/** Collects what a row shows. @param {string} name @param {FaultResult[]} faults */
const rowOf = (name, faults) => ({
  name,
  faults,
  back: faults.map(({ backMs }) => backMs),
  gone: faults.flatMap(({ goneMs }) => goneMs ?? []),
  missed: Math.max(0, ...faults.map(({ gapTicks }) => gapTicks)),
});

/** @type {import('../../bench/report/markdown.js').Columns<ReturnType<typeof rowOf>>} */
const COLUMNS = [
  ['Fault', ({ name }) => name],
  ['n', ({ faults }) => faults.length],
  ['back p50, ms', ({ back }) => inMs(percentile(back, 0.5))],
  ['p99', ({ back }) => inMs(percentile(back, 0.99))],
  ['max', ({ back }) => inMs(percentile(back, 1))],
  ['> 1 s', ({ faults }) => faults.filter(({ backMs }) => backMs > BOUNDS.backMs).length],
  ['others: most ticks missed in a row', ({ missed }) => missed],
  ['> 3 ticks', ({ faults }) => faults.filter(({ gapTicks }) => gapTicks > BOUNDS.gapTicks).length],
  ['all gone, max ms', ({ gone }) => (gone.length > 0 ? inMs(Math.max(...gone)) : '')],
  ['leaked', ({ faults }) => faults.reduce((sum, { leaked }) => sum + leaked, 0)],
];

/** Describes a result as Markdown. @param {import('./injector.js').RunResult} result @returns {string} */
export function describeResult({ faults, skipped }) {
  const kinds = [...new Set(faults.map(({ kind }) => kind))].sort();
  const rows = kinds.map((name) =>
    rowOf(
      name,
      faults.filter(({ kind }) => kind === name),
    ),
  );
  return [
    tableOf(COLUMNS, [...rows, rowOf('all', faults)]),
    ...Object.entries(skipped).map(([kind, why]) => `Left out: ${kind} (${why}).`),
  ].join('\n\n');
}

const METHOD = `Back: from the fault to the second advancing tick that the match's screen gets. A tick is
${TICK_MS.toFixed(1)} ms. A fault is injected while three matches play, each with a pad and a screen.`;

/** @type {import('../drive.js').Driver} */
export const driver = {
  title: 'Faults',
  about: 'Injects faults into a running TV and checks that every match recovers.',
  random: true,
  options: {
    COUNT: { about: 'number of faults', value: 1000, above: 0 },
    ENGINE: { about: 'of the TV', value: 'zygote', choices: ENGINES },
    ONLY: { about: 'only the faults with this text in their name', value: '' },
  },
  async drive({ COUNT: count, SEED: seed, ENGINE: engine, ONLY: only }, { signal, show }) {
    const result = await runFaults({ count, seed, engine, only, signal, onFault: show });
    return { paragraphs: [describeResult(result), METHOD], problems: problemsOf(result) };
  },
};
