/** `make soak`: runs a TV with visitors and asserts that no series rises. */
import { ENGINES } from '../../app/engine/index.js';
import { choiceOption, numberOption, parseOptions } from '../support/cli.js';
import { conditions, startOfRun } from '../../bench/machine/conditions.js';
import { markdownTable, printReport } from '../../bench/report/markdown.js';
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

const values = parseOptions(HELP, {
  minutes: '60',
  seed: String(Date.now() % 2 ** 31),
  engine: 'auto',
  screen: 'no',
  note: undefined,
});
const minutes = numberOption('minutes', values.minutes, { above: 0, whole: false });
const seed = numberOption('seed', values.seed);
const screen = choiceOption('screen', values.screen, ['no', 'yes']) === 'yes';
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
const names = /** @type {(keyof typeof SERIES)[]} */ (Object.keys(SERIES)).filter(
  (name) => name !== 'screenHeapKib' || screen,
);
/** @type {string[]} */
const problems = errors.map((error) => `the TV logged an error: ${error}`);
if (!survived) problems.push('the TV ended');
if (judged.length < MIN_SAMPLES) {
  problems.push(`${judged.length} samples at rest are too few; ${MIN_SAMPLES} are needed`);
}
const rows = names.map((name) => {
  const verdict = judge(
    times,
    judged.map((sample) => sample[name] ?? NaN),
    SERIES[name],
  );
  if (verdict.problem) problems.push(`${name} ${verdict.problem}`);
  const busiest = Math.max(...samples.flatMap((sample) => sample[name] ?? []));
  if (name === 'screenHeapKib' && busiest > MAX_SCREEN_HEAP_KIB)
    problems.push(`the heap of the screen page has ${(busiest / 1024).toFixed(0)} MiB`);
  const { first, last, max, perHour, tau, p } = verdict;
  return [
    name,
    ...[first, last, max, busiest].map((value) => value.toFixed(0)),
    perHour.toFixed(1),
    SERIES[name].bound,
    tau.toFixed(2),
    p.toPrecision(2),
    verdict.problem ? 'rises' : 'no trend',
  ];
});
const command = `make soak MINUTES=${minutes} SEED=${seed} ENGINE=${engine}${screen ? ' SCREEN=yes' : ''}`;
const head =
  'Series,at rest: first quarter,last quarter,max,max under load,slope an hour,bound,Kendall τ,p,';
const events = Object.entries(counts).sort();
printReport(
  'Soak',
  [
    `${conditions({ command, ...start, note: values.note })}
- ${samples.length} samples, ${judged.length} of them at rest after the first ${WARM_UP * 100} % of the time; these are judged`,
    markdownTable(head.split(','), rows),
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
