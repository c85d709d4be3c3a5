/**
 * `make soak`: runs a TV with visitors and asserts that nothing rises. Prints the result as Markdown on
 * stdout and progress on stderr. Exits 1 when a series rises, the TV ended, or it logged an error.
 */
import { parseArgs } from 'node:util';
import { conditions, startOfRun } from '../support/conditions.js';
import { MIN_SAMPLES, judge } from './judge.js';
import { SERIES } from './sample.js';
import { soak } from './soak.js';

/** The part of a run in which caches fill and V8's heap finds its size; not judged. */
const WARM_UP = 0.2;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    engine: { type: 'string', default: 'auto' },
    note: { type: 'string' },
  },
});
const minutes = Number(values.minutes);
const seed = Number(values.seed);
if (!(minutes > 0) || !Number.isSafeInteger(seed)) {
  console.error('MINUTES has to be a number above 0, SEED a whole number.');
  process.exit(2);
}

const start = startOfRun();
const { samples, counts, errors, survived } = await soak({
  minutes,
  seed,
  engine: values.engine,
  onSample: (sample) => console.error(JSON.stringify(sample)),
});

const judged = samples.filter(({ rest, atMs }) => rest && atMs > WARM_UP * minutes * 60_000);
const times = judged.map(({ atMs }) => atMs);
const names = /** @type {(keyof typeof SERIES)[]} */ (Object.keys(SERIES));
/** @type {string[]} */
const problems = errors.map((error) => `the TV logged an error: ${error}`);
if (!survived) problems.push('the TV ended');
if (judged.length < MIN_SAMPLES) {
  problems.push(`${judged.length} samples at rest are too few; ${MIN_SAMPLES} are needed`);
}
const rows = names.map((name) => {
  const verdict = judge(
    times,
    judged.map((sample) => sample[name]),
    SERIES[name],
  );
  if (verdict.problem) problems.push(`${name} ${verdict.problem}`);
  const busiest = Math.max(...samples.map((sample) => sample[name]));
  const { first, last, max, perHour, tau, p } = verdict;
  const cells = [first, last, max, busiest].map((value) => value.toFixed(0));
  const { bound } = SERIES[name];
  return `| ${name} | ${cells.join(' | ')} | ${perHour.toFixed(1)} | ${bound} | ${tau.toFixed(2)} | ${p.toPrecision(2)} | ${verdict.problem ? 'rises' : 'no trend'} |`;
});
const command = `make soak MINUTES=${minutes} SEED=${seed} ENGINE=${values.engine}`;
console.log(
  [
    '# Soak',
    '',
    conditions({ command, ...start, note: values.note }),
    `- ${samples.length} samples, ${judged.length} of them at rest after the first ${WARM_UP * 100} % of the time; these are judged`,
    '',
    '| Series | at rest: first quarter | last quarter | max | max under load | slope an hour | bound | Kendall τ | p | |',
    '| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |',
    ...rows,
    '',
    'First and last quarter: medians. Slope: Theil-Sen. p: Mann-Kendall, two-sided. Memory: anonymous and',
    'shared memory (PSS) of all processes, KiB.',
    '',
    '| Event | Times |',
    '| --- | --- |',
    ...Object.entries(counts)
      .sort()
      .map(([what, times]) => `| ${what} | ${times} |`),
    '',
    problems.length > 0 ? problems.map((problem) => `- FAILED: ${problem}`).join('\n') : 'Passed.',
  ].join('\n'),
);
process.exitCode = problems.length > 0 ? 1 : 0;
