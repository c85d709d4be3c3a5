/**
 * `make soak`: runs a TV with visitors, and asserts that no series rises. In each cycle phones, screens and scripts
 * come and go and workers are killed; then all visitors leave, and the TV is sampled at rest. Samples at rest do not
 * depend on the visitors of the moment, so small leaks show.
 */
import { setMaxListeners } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { ENGINES } from '../../app/engine/index.js';
import { markdownTable, tableOf } from '../../bench/report/markdown.js';
import { openChromium } from '../../bench/scenarios/frames/browsers.js';
import { seededIndex } from '../../bench/stats/stats.js';
import { MIN_SAMPLES, judge } from '../support/judge.js';
import { openScope, poll } from '../support/polling.js';
import { TvUnderTest } from '../support/tv-under-test.js';
import { visit } from './actors.js';

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

/** The window of the screen page, px. */
const SCREEN = Object.freeze({ width: 1280, height: 720 });

const MAX_MATCHES = 6;
/** The default rest of a cycle, in which connections time out and a killed zygote is replaced. */
const REST_MS = 8000;
/** Within which the last matches end on a busy machine, and their memory is freed. */
const END_MS = 30_000;

/**
 * @typedef {{atMs: number, rest: boolean, screenHeapKib?: number} & ReturnType<TvUnderTest['sample']>} Timed
 *   screenHeapKib: the JavaScript heap of a screen page after a collection of garbage; at rest only
 */

/**
 * Runs a soak.
 * @param {object} options
 * @param {number} options.minutes
 * @param {number} options.seed
 * @param {string} [options.engine]
 * @param {number} [options.cycleMs] one cycle with its rest
 * @param {number} [options.restMs] the part of a cycle without visitors
 * @param {number} [options.sampleMs]
 * @param {boolean} [options.screen] whether a Chromium without a GPU shows the TV all the time, and its heap is sampled
 *   at rest
 * @param {AbortSignal} [options.signal] ends the run after the current cycle
 * @param {(sample: Timed) => void} [options.onSample]
 * @returns samples, counts of events, errors that the TV has logged, and whether its first main process still runs
 */
export async function soak({
  minutes,
  seed,
  engine = 'auto',
  cycleMs = 50_000,
  restMs = REST_MS,
  sampleMs = 5000,
  screen = false,
  signal: interrupted,
  onSample,
}) {
  const args = ['--engine', engine, '--max-matches', String(MAX_MATCHES)];
  const serve = new TvUnderTest({
    args: [...args, '--checkpoint-seconds', '1'],
    limits: { unwatchedMatch: restMs / 2 }, // no match of a screen that has left runs at rest
  });
  const result = {
    samples: /** @type {Timed[]} */ ([]),
    counts: /** @type {Record<string, number>} */ ({}),
    errors: /** @type {string[]} */ ([]),
    survived: false,
  };
  const began = performance.now();
  const scope = openScope();
  /** @type {Awaited<ReturnType<typeof openChromium>> | undefined} */
  let page;
  const sample = async (/** @type {boolean} */ rest) => {
    const atMs = performance.now() - began;
    const heap = page && rest && { screenHeapKib: await heapKib(page) };
    const taken = { atMs, rest, ...serve.sample(), ...heap };
    result.samples.push(taken);
    onSample?.(taken);
  };
  try {
    await serve.start();
    const { pid } = serve;
    if (screen) page = await openChromium(scope, serve.url, SCREEN);
    const random = seededIndex(seed);
    const isOver = () => interrupted?.aborted || performance.now() - began >= minutes * 60_000;
    while (!isOver() && serve.running) {
      const timer = setInterval(() => void sample(false), sampleMs);
      const signal = AbortSignal.timeout(cycleMs - restMs);
      setMaxListeners(0, signal); // every pause of every visitor adds a listener
      await visit({ serve, random, signal, counts: result.counts }).finally(() =>
        clearInterval(timer),
      );
      await delay(restMs);
      await poll(() => serve.held.memfds === 0, END_MS);
      await sample(true);
    }
    if (page) result.errors.push(...page.errors);
    result.survived = serve.running && serve.pid === pid;
    return result;
  } finally {
    await scope.close();
    result.errors.push(...serve.errors);
    await serve.stop();
  }
}

/**
 * Reads the JavaScript heap of a page after a collection of garbage.
 * @param {Awaited<ReturnType<typeof openChromium>>} page
 */
async function heapKib(page) {
  await page.send('HeapProfiler.collectGarbage');
  return (await page.send('Runtime.getHeapUsage')).usedSize / 1024;
}

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

/** Judges each series. @param {Timed[]} samples all @param {Timed[]} judged */
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
    const options = { minutes, seed, engine, screen, signal, onSample: show };
    const { samples, counts, errors, survived } = await soak(options);
    const judged = samples.filter(({ rest, atMs }) => rest && atMs > WARM_UP * minutes * 60_000);
    const problems = errors.map((error) => `the TV logged an error: ${error}`);
    if (!survived) problems.push('the TV ended');
    if (judged.length < MIN_SAMPLES) {
      problems.push(`${judged.length} samples at rest are too few; ${MIN_SAMPLES} are needed`);
    }
    const verdicts = judged.length > 0 ? verdictsOf(samples, judged) : [];
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
