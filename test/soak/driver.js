/** `make soak`: runs a TV with visitors and asserts that no series rises. */
import { ENGINES } from '../../app/engine/index.js';
import { markdownTable, tableOf } from '../../bench/report/markdown.js';
import { MIN_SAMPLES, judge } from '../support/judge.js';
import { soak } from './soak.js';

/** The part of a run in which caches fill and V8's heap finds its size; not judged. */
const WARM_UP = 0.2;
/** The rule for each series, per hour; see test/support/judge.js. */
const SERIES = Object.freeze({
  memoryKib: { negligible: 512, bound: 4096 },
  descriptors: { negligible: 0.5, bound: 2 },
  processes: { negligible: 0.5, bound: 1 },
  dataFiles: { negligible: 0.5, bound: 2 },
  shmFiles: { negligible: 0.5, bound: 1 },
  memfds: { negligible: 0.5, bound: 1 },
  screenHeapKib: { negligible: 256, bound: 2048 },
});
/** The heap of the screen page may never have more. */
const MAX_SCREEN_HEAP_KIB = 60e6 / 1024;

/** @typedef {ReturnType<typeof verdictsOf>[number]} Verdict */

/** @type {import('../../bench/report/markdown.js').Columns<Verdict>} */
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

/** Judges each series. @param {import('./soak.js').Timed[]} samples all @param {import('./soak.js').Timed[]} judged */
function verdictsOf(samples, judged) {
  const names = /** @type {(keyof typeof SERIES)[]} */ (Object.keys(SERIES));
  const times = judged.map(({ atMs }) => atMs);
  return names
    .filter((name) => samples.some((sample) => sample[name] !== undefined))
    .map((name) => {
      const figures = judged.map((sample) => sample[name] ?? NaN);
      const busiest = Math.max(...samples.flatMap((sample) => sample[name] ?? []));
      return { name, busiest, ...judge(times, figures, SERIES[name]) };
    });
}

/** @type {import('../drive.js').Driver} */
export const driver = {
  title: 'Soak',
  about:
    'Runs a TV with visitors and checks that memory, descriptors, processes and files do not rise.',
  random: true,
  options: {
    MINUTES: { about: 'duration', value: 60, above: 0, part: true },
    ENGINE: { about: 'of the TV', value: 'auto', choices: ['auto', ...ENGINES] },
    SCREEN: {
      about: 'also shows the TV in Chromium, and checks the heap of its page',
      value: 'no',
      choices: ['no', 'yes'],
    },
  },
  async drive({ MINUTES: minutes, SEED: seed, ENGINE: engine, SCREEN }, { signal, show }) {
    const screen = SCREEN === 'yes';
    const { samples, counts, errors, survived } = await soak({
      minutes,
      seed,
      engine,
      screen,
      signal,
      onSample: show,
    });
    const judged = samples.filter(({ rest, atMs }) => rest && atMs > WARM_UP * minutes * 60_000);
    const problems = errors.map((error) => `the TV logged an error: ${error}`);
    if (!survived) problems.push('the TV ended');
    if (judged.length < MIN_SAMPLES) {
      problems.push(`${judged.length} samples at rest are too few; ${MIN_SAMPLES} are needed`);
    }
    const verdicts = verdictsOf(samples, judged);
    for (const { name, problem, busiest } of verdicts) {
      if (problem) problems.push(`${name} ${problem}`);
      if (name === 'screenHeapKib' && busiest > MAX_SCREEN_HEAP_KIB)
        problems.push(`the heap of the screen page has ${(busiest / 1024).toFixed(0)} MiB`);
    }
    const paragraphs = [
      `${samples.length} samples, ${judged.length} of them at rest after the first ${WARM_UP * 100} % of the time; these are judged.`,
      tableOf(COLUMNS, verdicts),
      `First and last quarter: medians. Slope: Theil-Sen. p: Mann-Kendall, two-sided. Memory: anonymous and
shared memory (PSS) of all processes, KiB. The heap of a screen page is sampled at rest, after a collection of garbage.`,
      markdownTable(['Event', 'Times'], Object.entries(counts).sort()),
    ];
    return { paragraphs, problems };
  },
};
