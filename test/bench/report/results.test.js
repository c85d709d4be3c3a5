/** Tests results that are made of simulated samples: known differences are found, and no others. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareResults, formatComparison } from '../../../bench/commands/compare.js';
import { formatResults } from '../../../bench/report/terminal.js';
import { formatAnswers } from '../../../bench/report/paper.js';
import { checkResults } from '../../../bench/report/results.js';
import { methodLine } from '../../../bench/report/text.js';
import { seededIndex } from '../../../bench/stats/stats.js';
import { simulateResults } from './simulated-results.js';

/** @typedef {(round: number, noise: () => number) => number} Draw one sample */

/** @param {number} seed @returns {() => number} -1..1, more often near 0 */
function noiseOf(seed) {
  const index = seededIndex(seed);
  return () => (index(2001) + index(2001) + index(2001)) / 3000 - 1;
}

/**
 * Makes results of a scenario with one metric.
 * @param {Record<string, Draw>} variants the first one is the reference
 * @param {{seed?: number, runs?: number, complete?: boolean}} [options]
 */
function resultsOf(variants, { seed = 1, runs = 30, complete } = {}) {
  const noise = noiseOf(seed);
  const [reference] = Object.keys(variants);
  const scenario = {
    name: 'planted',
    title: 'For tests',
    metrics: [{ name: 'time', unit: 'ms' }],
    reference,
    configurations: Object.keys(variants).map((variant) => ({ variant, workers: 2 })),
    valueOf: (/** @type {{variant: string}} */ { variant }, /** @type {number} */ round) =>
      variants[variant](round, noise),
  };
  return simulateResults([scenario], { runs, seed, complete });
}

/** Simulates a usual benchmark, with 3 % of noise and some outliers. @param {number} median @returns {Draw} */
const around = (median) => (_, noise) => median * (1 + 0.06 * noise() + (noise() > 0.75 ? 0.3 : 0));

test('noise is reported as a difference in at most 1 of 20 runs', () => {
  let called = 0;
  for (let seed = 1; seed <= 20; seed++) {
    const same = { a: around(50), b: around(50), c: around(50), d: around(50) };
    const { comparisons } = resultsOf(same, { seed });
    assert.equal(comparisons.length, 3);
    if (comparisons.some(({ verdict }) => verdict === 'yes')) called++;
  }
  assert.ok(called <= 1, `${called} of 20`);
});

test('a slowdown of 10 % is found in each of 20 runs, and its size is correct', () => {
  for (let seed = 1; seed <= 20; seed++) {
    const [{ ratio, ci95, verdict }] = resultsOf(
      { before: around(50), after: around(55) },
      { seed },
    ).comparisons;
    assert.equal(verdict, 'yes', `seed ${seed}`);
    assert.ok(ci95[0] <= 1.1 && ci95[1] >= 1.08, `${ratio}: ${ci95}`);
  }
});

test('the table has the verdicts yes, no and cannot say', () => {
  /** @type {(median: number, share: number) => Draw} */
  const noisy = (median, share) => (_, noise) => median * (1 + share * noise());
  const series = { a: noisy(50, 0.01), b: noisy(50, 0.01), c: noisy(80, 0.01), d: noisy(51, 0.5) };
  const results = resultsOf(series);
  assert.deepEqual(
    results.comparisons.map(({ verdict, margin, n }) => [verdict, margin, n]),
    [
      ['no', 5, 30],
      ['yes', 5, 30],
      ['cannot say', 5, 30],
    ],
  );
  const text = formatResults(results);
  assert.match(text, / b .*no difference: equal within 5 %; 0\.9\d+\.\.1\.0\d+ x/);
  assert.match(text, / c .* 1\.[56]\d x \(/);
  assert.match(text, / d .*cannot say \(n = 30\)/);
});

test('with one run, the report does not mention intervals, rounds or differences', () => {
  const results = resultsOf({ a: around(50), b: around(80) }, { runs: 1 });
  const text = formatResults(results);
  assert.match(text, / b .*cannot say \(n = 1\); 1\.\d\d x/);
  assert.match(text, /1 run of each, in random order \(seed 1\); single values, no intervals/);
  assert.doesNotMatch(text, /95 %|shuffled|warming/);
});

test('the report of an interrupted run states the number of completed runs', () => {
  const results = resultsOf({ a: around(50) }, { runs: 4, complete: false });
  results.method.runs = 30;
  assert.match(methodLine(results), /^4 of 30 runs of each/);
  assert.match(methodLine({ ...results, rows: [] }), /^0 of 30 runs of each/);
});

test('results of another format are refused', () => {
  const results = resultsOf({ a: around(50) });
  assert.deepEqual(checkResults(results), results);
  assert.throws(() => checkResults({ ...results, schema: 2 }), /format 2, not 3/);
});

test('drift during the run causes a warning, and a steady run causes none', () => {
  const hot = resultsOf({ a: (round, noise) => 50 + 0.3 * round + noise(), b: around(50) });
  assert.equal(hot.warnings.length, 1);
  assert.match(hot.warnings[0], /time of a, 2 workers changed from 5\d\.\d to 5\d\.\d ms/);
  assert.match(formatResults(hot), /warning: planted drifts/);
  const late = resultsOf({ a: (round) => Math.max(0, round - 18), b: () => 0 });
  assert.match(late.warnings.join(), /time of a, 2 workers changed from 0 to 6\.50 ms/);
  assert.deepEqual(resultsOf({ a: around(50), b: around(50) }).warnings, []);
});

test('when two files are compared, a slowdown beyond the threshold is a regression, and a speed-up is not', () => {
  const before = resultsOf({ a: around(50), b: around(50), c: around(50), d: around(50) });
  const after = resultsOf(
    { a: around(50), b: around(60), c: around(40), e: around(50) },
    { seed: 2 },
  );
  const comparison = compareResults(before, after, 5);
  assert.deepEqual(
    comparison.changes.map(({ name, change }) => [name, change]),
    [
      ['planted time: a, 2 workers', 'same'],
      ['planted time: b, 2 workers', 'regression'],
      ['planted time: c, 2 workers', 'better'],
    ],
  );
  assert.deepEqual(comparison.onlyInA, ['planted time: d, 2 workers']);
  assert.deepEqual(comparison.onlyInB, ['planted time: e, 2 workers']);
  assert.match(formatComparison(comparison, before, after, 5), /1 regression of more than 5 %/);
  const lenient = compareResults(before, after, 50).changes.map(({ change }) => change);
  assert.deepEqual(lenient, ['same', 'worse', 'better']);
});

test('a row that has no ratio, because a value is 0, is listed with its medians', () => {
  const [before, after] = [0, 12].map((value) => resultsOf({ a: () => value }));
  const comparison = compareResults(before, after, 5);
  assert.deepEqual(comparison.changes, []);
  assert.deepEqual(comparison.withoutRatio, ['planted time: a, 2 workers: 0 -> 12.0 ms']);
  assert.match(formatComparison(comparison, before, after, 5), /0 -> 12\.0 ms \(not compared/);
});

test('if higher is better, a decrease is a regression', () => {
  const files = [50, 40].map((median) => {
    const results = resultsOf({ a: around(median) });
    results.rows.forEach((row) => (row.better = 'higher'));
    return results;
  });
  assert.equal(compareResults(files[0], files[1], 5).changes[0].change, 'regression');
  assert.equal(compareResults(files[1], files[0], 5).changes[0].change, 'better');
});

const ENGINES = ['process', 'thread', 'zygote'];
/** Part of what a process takes. */
const RELATIVE = /** @type {Record<string, number>} */ ({ thread: 0.8, zygote: 0.5, mark: 0.96 });

/**
 * Makes a scenario whose samples have a spread of 4 %.
 * @param {string} name @param {string} metric
 * @param {import('../../../bench/harness/scenarios.js').Scenario['reference']} reference
 * @param {import('../../../bench/harness/scenarios.js').Configuration[]} configurations
 */
const scenarioOf = (name, metric, reference, configurations) => ({
  name,
  title: name,
  metrics: [{ name: metric, unit: 'KiB' }],
  reference,
  configurations,
  valueOf: (
    /** @type {import('../../../bench/harness/scenarios.js').Configuration} */ one,
    /** @type {number} */ round,
  ) => {
    const part = RELATIVE[String(one.level ?? one.engine)] ?? 1;
    return 100 * part * (one.workers ?? 1) * (1 + 0.01 * ((round * 7) % 5));
  },
});

/** Makes results in which a thread takes 80 % of a process, a zygote 50 %, and `mark` saves 4 %. */
function paperResults() {
  const starts = ['on demand', 'spare', '8 at once'].flatMap((variant) =>
    ENGINES.map((engine) => ({ variant, engine })),
  );
  const loaded = [1, 2, 4].flatMap((workers) => [
    ...ENGINES.map((engine) => ({ variant: engine, engine, workers })),
    { variant: 'process + KSM', engine: 'process', level: 'mark', workers },
  ]);
  return simulateResults(
    [
      scenarioOf('startup', 'ready', { engine: 'process' }, starts),
      scenarioOf('memory', 'pss', 'process', loaded),
    ],
    { runs: 12 },
  );
}

test('measurements are compared with those of the paper, by the number of games', () => {
  const text = formatAnswers(paperResults());
  for (const line of [
    /on demand, against processes\n +paper +thread 99\.6 % less\n +thread +20 % less\n +zygote +50 % less\n.*less than then\n/,
    /8 at once, against processes\n +thread +20 % less\n +zygote +50 % less\n\n/,
    /thread +1, 2 and 4 games: 20 % less$/m,
    /zygote +1, 2 and 4 games: 50 % less$/m,
    /paper +thread 9\.1 to 28\.5 % less\n/,
    /marked +1, 2 and 4 games: 4 % less$/m,
    /hold\? +1, 2 and 4 games: yes$/m,
  ]) {
    assert.match(text, line);
  }
  assert.doesNotMatch(text, /Run time/);
});
