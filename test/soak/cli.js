/** `make soak`: runs a TV with visitors and asserts that no series rises. */
import { ENGINES } from '../../app/engine/index.js';
import { choiceOption, numberOption, parseOptions, seedOption } from '../support/cli.js';
import { conditions, startOfRun } from '../../bench/machine/conditions.js';
import { markdownTable, printReport } from '../../bench/report/markdown.js';
import { tableOf } from '../support/report.js';
import { MIN_SAMPLES, judge } from './judge.js';
import { MAX_SCREEN_HEAP_KIB, SERIES } from './sample.js';
import { soak } from './soak.js';

/** The part of a run in which caches fill and V8's heap finds its size; not judged. */
const WARM_UP = 0.2;

const HELP = `
Usage: node test/soak/cli.js [options]

Runs a TV with visitors and checks that memory, descriptors, processes and files do not rise.

  --minutes N    duration (default: 60)
  --seed N       repeats the visitors' choices of an earlier run (default: the time)
  --engine NAME  engine of the TV (default: auto)
  --screen yes   also shows the TV in Chromium, and checks the heap of its page
  --note TEXT    a sentence for the conditions of the result
  --help         prints this help

Prints Markdown on stdout and each sample as JSON on stderr. Exits with 1 when a series rises, the TV ends, or it
logs an error.
`;

const values = parseOptions(HELP);
const minutes = numberOption('minutes', values.minutes, { above: 0, whole: false });
const seed = seedOption(values.seed);
const screen = choiceOption('screen', values.screen ?? 'no', ['no', 'yes']) === 'yes';
const engine = choiceOption('engine', values.engine, ['auto', ...ENGINES]);

const start = startOfRun();
const { samples, counts, errors, survived } = await soak({
  minutes,
  seed,
  engine,
  screen,
  onSample: (sample) => console.error(JSON.stringify(sample)),
});

const judged = samples.filter(({ rest, atMs }) => rest && atMs > WARM_UP * minutes * 60_000);
const times = judged.map(({ atMs }) => atMs);
/** @type {string[]} */
const problems = errors.map((error) => `the TV logged an error: ${error}`);
if (!survived) problems.push('the TV ended');
if (judged.length < MIN_SAMPLES) {
  problems.push(`${judged.length} samples at rest are too few; ${MIN_SAMPLES} are needed`);
}
const names = /** @type {(keyof typeof SERIES)[]} */ (Object.keys(SERIES));
const verdicts = names
  .filter((name) => name !== 'screenHeapKib' || screen)
  .map((name) => {
    const figures = judged.map((sample) => sample[name] ?? NaN);
    const busiest = Math.max(...samples.flatMap((sample) => sample[name] ?? []));
    return { name, busiest, ...judge(times, figures, SERIES[name]) };
  });
for (const { name, problem, busiest } of verdicts) {
  if (problem) problems.push(`${name} ${problem}`);
  if (name === 'screenHeapKib' && busiest > MAX_SCREEN_HEAP_KIB)
    problems.push(`the heap of the screen page has ${(busiest / 1024).toFixed(0)} MiB`);
}

/** @type {import('../support/report.js').Columns<(typeof verdicts)[number]>} */
const COLUMNS = [
  ['Series', ({ name }) => name],
  ['at rest: first quarter', ({ first }) => first.toFixed(0)],
  ['last quarter', ({ last }) => last.toFixed(0)],
  ['max', ({ max }) => max.toFixed(0)],
  ['max under load', ({ busiest }) => busiest.toFixed(0)],
  ['slope an hour', ({ perHour }) => perHour.toFixed(1)],
  ['bound', ({ name }) => SERIES[name].bound],
  ['Kendall τ', ({ tau }) => tau.toFixed(2)],
  ['p', ({ p }) => p.toPrecision(2)],
  ['', ({ problem }) => (problem ? 'rises' : 'no trend')],
];
const command = `make soak MINUTES=${minutes} SEED=${seed} ENGINE=${engine}${screen ? ' SCREEN=yes' : ''}`;
const events = Object.entries(counts).sort();
printReport(
  'Soak',
  [
    `${conditions({ command, ...start, note: values.note })}
- ${samples.length} samples, ${judged.length} of them at rest after the first ${WARM_UP * 100} % of the time; these are judged`,
    tableOf(COLUMNS, verdicts),
    `First and last quarter: medians. Slope: Theil-Sen. p: Mann-Kendall, two-sided. Memory: anonymous and
shared memory (PSS) of all processes, KiB.${
      screen
        ? '\nThe heap of the screen page is sampled at rest, after a collection of garbage.'
        : ''
    }`,
    markdownTable(['Event', 'Times'], events),
  ],
  problems,
);
