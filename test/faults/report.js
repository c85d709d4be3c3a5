/** Compares a run's results with the bounds, and formats them as a table. */
import { median } from '../../bench/stats/stats.js';
import { theilSen } from '../soak/judge.js';
import { tableOf } from '../support/report.js';
import { TICK_MS } from './lane.js';

/** A match is back within this time ... */
const BACK_MS = 1000;
/** ... in this part of the faults. */
const BACK_SHARE = 0.99;
const GONE_MS = 1000;
const GAP_TICKS = 3;
/** Memory may grow by this much a fault, KiB (Theil-Sen slope of one main process, median of all). */
const GROWTH_KIB = 32;
/** A new main process grows until each kind of fault has happened a few times. These samples are not used. */
const WARM_UP_FAULTS = 50;
/** With fewer samples of one main process, no slope is computed. */
const MIN_SAMPLES = 15;

/** @typedef {import('./injector.js').FaultResult} FaultResult */

/** @param {FaultResult} fault */
const isLate = ({ backMs }) => backMs > BACK_MS;
/**
 * Whether a match was late without the time in which the machine stalled.
 * @param {FaultResult} fault @param {number} [bound] ms
 */
const isLateItself = ({ backMs, stalledMs }, bound = BACK_MS) => backMs - stalledMs > bound;
/** @param {FaultResult} fault */
const isGap = ({ gapTicks }) => gapTicks > GAP_TICKS;
/** Whether ticks were missed without the time in which the machine stalled. @param {FaultResult} fault */
const isGapItself = ({ gapTicks, gapStalledTicks }) =>
  Math.floor(gapTicks - gapStalledTicks) > GAP_TICKS;

/** @param {number[]} values @param {number} share 0..1 @returns {number} nearest rank */
export function percentile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}

/**
 * Estimates the growth of memory: the median of the Theil-Sen slopes.
 * @param {FaultResult[]} faults @returns {number} KiB a fault
 */
function growth(faults) {
  const slopes = [...new Set(faults.map(({ start }) => start))].flatMap((start) => {
    const samples = faults
      .filter((fault) => fault.start === start)
      .slice(WARM_UP_FAULTS)
      .filter(({ memoryKib }) => memoryKib > 0);
    if (samples.length < MIN_SAMPLES) return [];
    const numbers = samples.map(({ number }) => number);
    const sizes = samples.map(({ memoryKib }) => memoryKib);
    return theilSen(numbers, sizes);
  });
  return slopes.length > 0 ? median(slopes) : 0;
}

/**
 * Lists the broken assertions.
 * @param {import('./injector.js').RunResult} result
 * @param {number} [backMs] time for a match to be back. With Infinity, only a match that is lost counts
 * @returns {string[]} one sentence for each
 */
export function problemsOf({ faults, orphans }, backMs = BACK_MS) {
  const problems = [];
  const late = faults.filter((fault) => isLateItself(fault, backMs));
  const allowed = Math.floor((1 - BACK_SHARE) * faults.length);
  if (late.length > allowed) {
    const which = late.map(({ number }) => number).join(', ');
    const bound = `${backMs} ms (allowed: ${allowed})`;
    problems.push(`${late.length} matches were not back in ${bound}: ${which}`);
  }
  for (const fault of faults) {
    const { number, kind, goneMs = 0, leaked, wrong, gapTicks } = fault;
    const add = (/** @type {string} */ what) => problems.push(`fault ${number} (${kind}): ${what}`);
    if (isGapItself(fault)) add(`another match missed ${gapTicks} ticks in a row`);
    if (goneMs > GONE_MS) add(`processes were left ${goneMs.toFixed()} ms after the main process`);
    if (leaked > 0) add(`${leaked} descriptors or processes more than before`);
    for (const each of wrong) add(each);
  }
  if (orphans > 0) problems.push(`${orphans} processes were left at the end`);
  const perFault = growth(faults);
  if (perFault > GROWTH_KIB)
    problems.push(`the main process grows by ${perFault.toFixed(1)} KiB a fault`);
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

/** @type {import('../support/report.js').Columns<ReturnType<typeof rowOf>>} */
const COLUMNS = [
  ['Fault', ({ name }) => name],
  ['n', ({ faults }) => faults.length],
  ['back p50, ms', ({ back }) => inMs(percentile(back, 0.5))],
  ['p99', ({ back }) => inMs(percentile(back, 0.99))],
  ['max', ({ back }) => inMs(percentile(back, 1))],
  ['> 1 s', ({ faults }) => faults.filter(isLate).length],
  ['of these not by the machine', ({ faults }) => faults.filter((one) => isLateItself(one)).length],
  ['others: most ticks missed in a row', ({ missed }) => missed],
  ['> 3 ticks', ({ faults }) => faults.filter(isGap).length],
  ['of these not by the machine', ({ faults }) => faults.filter(isGapItself).length],
  ['all gone, max ms', ({ gone }) => (gone.length > 0 ? inMs(Math.max(...gone)) : '')],
  ['leaked', ({ faults }) => faults.reduce((sum, { leaked }) => sum + leaked, 0)],
];

/** Describes a result as Markdown. @param {import('./injector.js').RunResult} result @returns {string} */
export function describeResult({ faults, skipped, refused }) {
  const kinds = [...new Set(faults.map(({ kind }) => kind))].sort();
  const rows = kinds.map((name) => {
    const ofKind = faults.filter(({ kind }) => kind === name);
    return rowOf(name, ofKind);
  });
  return [
    tableOf(COLUMNS, [...rows, rowOf('all', faults)]),
    '',
    `The main process grows by ${growth(faults).toFixed(1)} KiB a fault (anonymous and shared memory; the median of its runs).`,
    'The faults replace zygotes and workers, whose memory the soak judges.',
    ...Object.entries(skipped).map(([kind, why]) => `Left out: ${kind} (${why}).`),
    ...[...refused].map(([code, times]) => `Clients received ${code} ${times} times.`),
  ].join('\n');
}

export const METHOD = `Back: from the fault to the second advancing tick that the match's screen gets. A tick is
${TICK_MS.toFixed(1)} ms. By the machine: the time beyond the bound is covered by stalls of a canary (a process that
only ticks 60 times a second at a worker's priority) or of the client, or by the time that the TV's processes waited
for a core (\`/proc/PID/schedstat\`); overlapping stalls count once. A fault is injected while three matches play,
each with a pad and a screen.`;
