/** Holds a run's results against the bounds, and makes a table of them. */
import { median } from '../../bench/stats/stats.js';
import { theilSen } from '../soak/judge.js';
import { TICK_MS } from './lane.js';

/** A match is back within this time ... */
const BACK_MS = 1000;
/** ... in this part of the faults. */
const BACK_SHARE = 0.99;
const GONE_MS = 1000;
const GAP_TICKS = 3;
/** Memory may grow by this much a fault, KiB (Theil-Sen slope of one main process, median of all). */
const GROWTH_KIB = 32;
/** A young main process grows until it has seen each kind of fault a few times: these samples do not count. */
const WARM_UP_FAULTS = 50;
/** Fewer samples of one main process have no slope. */
const MIN_SAMPLES = 15;

/** @typedef {import('./run.js').FaultResult} FaultResult */

/** @param {FaultResult} fault did the machine itself take the time beyond the bound? */
const isLate = ({ backMs }) => backMs > BACK_MS;
/** @param {FaultResult} fault */
const isLateItself = ({ backMs, stalledMs }) => backMs - stalledMs > BACK_MS;
/** @param {FaultResult} fault */
const isGap = ({ gapTicks }) => gapTicks > GAP_TICKS;
/** @param {FaultResult} fault */
const isGapItself = ({ gapTicks, gapStalledTicks }) =>
  Math.floor(gapTicks - gapStalledTicks) > GAP_TICKS;

/** @param {number[]} values @param {number} share 0..1 @returns {number} nearest rank */
export function percentile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}

/** @param {FaultResult[]} faults @returns {number} KiB a fault */
export function growth(faults) {
  const slopes = [...new Set(faults.map(({ start }) => start))].flatMap((start) => {
    const samples = faults
      .filter((fault) => fault.start === start)
      .slice(WARM_UP_FAULTS)
      .filter(({ memoryKib }) => memoryKib > 0);
    if (samples.length < MIN_SAMPLES) return [];
    const numbers = samples.map(({ number }) => number);
    return [
      theilSen(
        numbers,
        samples.map(({ memoryKib }) => memoryKib),
      ),
    ];
  });
  return slopes.length > 0 ? median(slopes) : 0;
}

/**
 * @param {import('./run.js').RunResult} result
 * @param {number} [most] matches that may be back later than in BACK_MS
 * @returns {string[]} one sentence for each broken assertion
 */
export function problemsOf(
  { faults, orphans },
  most = Math.floor((1 - BACK_SHARE) * faults.length),
) {
  const problems = [];
  const late = faults.filter(isLateItself);
  if (late.length > most) {
    const which = late.map(({ number }) => number).join(', ');
    problems.push(`${late.length} matches were not back in ${BACK_MS} ms (${most} may): ${which}`);
  }
  for (const fault of faults) {
    const { number, kind, goneMs = 0, leaked, wrong, gapTicks } = fault;
    const say = (/** @type {string} */ what) => problems.push(`fault ${number} (${kind}): ${what}`);
    if (isGapItself(fault)) say(`another match missed ${gapTicks} ticks in a row`);
    if (goneMs > GONE_MS) say(`processes were left ${goneMs.toFixed()} ms after the main process`);
    if (leaked > 0) say(`${leaked} descriptors or processes more than before`);
    for (const each of wrong) say(each);
  }
  if (orphans > 0) problems.push(`${orphans} processes were left at the end`);
  const perFault = growth(faults);
  if (perFault > GROWTH_KIB) problems.push(`memory grows by ${perFault.toFixed(1)} KiB a fault`);
  return problems;
}

/** @param {import('./run.js').RunResult} result @returns {string} Markdown */
export function tableOf({ faults, skipped, refused }) {
  const kinds = [...new Set(faults.map(({ kind }) => kind))].sort();
  const row = (/** @type {string} */ name, /** @type {FaultResult[]} */ some) => {
    const back = some.map(({ backMs }) => backMs);
    const gone = some.flatMap(({ goneMs }) => (goneMs === undefined ? [] : [goneMs]));
    const ms = (/** @type {number} */ value) => (value === Infinity ? 'lost' : value.toFixed());
    return `| ${[
      name,
      some.length,
      ms(percentile(back, 0.5)),
      ms(percentile(back, 0.99)),
      ms(percentile(back, 1)),
      some.filter(isLate).length,
      some.filter(isLateItself).length,
      Math.max(0, ...some.map(({ gapTicks }) => gapTicks)),
      some.filter(isGap).length,
      some.filter(isGapItself).length,
      gone.length > 0 ? ms(Math.max(...gone)) : '',
      some.reduce((sum, { leaked }) => sum + leaked, 0),
    ].join(' | ')} |`;
  };
  return [
    '| Fault | n | back p50, ms | p99 | max | > 1 s | of these not by the machine | others: most ticks missed in a row | > 3 ticks | of these not by the machine | all gone, max ms | leaked |',
    '| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |',
    ...kinds.map((kind) =>
      row(
        kind,
        faults.filter((fault) => fault.kind === kind),
      ),
    ),
    row('all', faults),
    '',
    `Memory (anonymous and shared, all processes): ${growth(faults).toFixed(1)} KiB a fault.`,
    ...Object.entries(skipped).map(([kind, why]) => `Left out: ${kind} (${why}).`),
    ...[...refused].map(([code, times]) => `Clients received ${code} ${times} times.`),
  ].join('\n');
}

export const METHOD = `Back: from the fault to the second advancing tick that the match's screen gets. A tick is
${TICK_MS.toFixed(1)} ms. By the machine: the time beyond the bound is covered by stalls of a canary (a process that
only ticks 60 times a second at a worker's priority), of the client, or by what the TV's own processes waited
for a core (\`/proc/PID/schedstat\`; no stall of the canary is counted twice). A fault is injected when all three
matches play; each is one match with a pad and a screen.`;
