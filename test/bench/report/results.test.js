/** What the harness makes of samples: does it find what was planted, and nothing else? */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareResults, formatComparison } from '../../../bench/stats/compare.js';
import { toCsv } from '../../../bench/report/csv.js';
import { machineFacts, passingFacts } from '../../../bench/machine/facts.js';
import { formatResults } from '../../../bench/report/terminal.js';
import { assemble } from '../../../bench/report/results.js';
import { seededIndex } from '../../../bench/stats/stats.js';
import { checkSchema } from './schema.js';

/** @typedef {(round: number, noise: () => number) => number} Draw one sample */

/** @param {number} seed @returns {() => number} -1..1, more often near 0 */
function noiseOf(seed) {
  const index = seededIndex(seed);
  return () => (index(2001) + index(2001) + index(2001)) / 3000 - 1;
}

/**
 * Results as if they had been measured.
 * @param {Record<string, Draw>} variants the first one is the reference
 * @param {{seed?: number, runs?: number, complete?: boolean}} [options]
 */
function resultsOf(variants, { seed = 1, runs = 30, complete = true } = {}) {
  const noise = noiseOf(seed);
  const names = Object.keys(variants);
  const configurations = names.map((variant) => ({ variant, workers: 2 }));
  /** @type {import("../../../bench/harness/scenarios.js").Sample[]} */
  const samples = [];
  for (let round = 0; round < runs; round++) {
    for (const configuration of configurations) {
      const time = variants[configuration.variant](round, noise);
      samples.push({ configuration, round, metrics: { time }, facts: {} });
    }
  }
  const scenario = {
    ...{ name: 'planted', title: 'For tests', url: '', reference: names[0] },
    metrics: [{ name: 'time', unit: 'ms' }],
    configurations: () => configurations,
    sample: async () => samples[0],
  };
  const passing = passingFacts();
  const results = assemble([{ scenario, configurations, samples }], {
    ...{ pitv: '0.1.0', startedAt: new Date(0).toISOString(), complete, failures: [] },
    method: { runs, warmUps: 0, quick: false, seed },
    machine: { ...machineFacts(), before: passing, after: passing },
  });
  checkSchema(results);
  return results;
}

/** A usual benchmark: 3 % of noise, and now and then a sample that something disturbed. @param {number} median @returns {Draw} */
const around = (median) => (_, noise) => median * (1 + 0.06 * noise() + (noise() > 0.75 ? 0.3 : 0));

test('noise alone is called a difference in at most 1 of 20 runs', () => {
  let called = 0;
  for (let seed = 1; seed <= 20; seed++) {
    const same = { a: around(50), b: around(50), c: around(50), d: around(50) };
    const { comparisons } = resultsOf(same, { seed });
    assert.equal(comparisons.length, 3);
    if (comparisons.some(({ significant }) => significant)) called++;
  }
  assert.ok(called <= 1, `${called} of 20`);
});

test('a slowdown of 10 % is found in each of 20 runs, with its size', () => {
  for (let seed = 1; seed <= 20; seed++) {
    const [{ ratio, ci95, significant }] = resultsOf(
      { before: around(50), after: around(55) },
      { seed },
    ).comparisons;
    assert.equal(significant, true, `seed ${seed}`);
    assert.ok(ci95[0] <= 1.1 && ci95[1] >= 1.08, `${ratio}: ${ci95}`);
  }
});

test('what disturbs whole rounds does not hide a difference', () => {
  const wave = (/** @type {number} */ round) => 1 + 0.5 * Math.sin(round);
  const [{ ratio, ci95 }] = resultsOf({
    a: (round, noise) => 50 * wave(round) * (1 + 0.01 * noise()),
    b: (round, noise) => 55 * wave(round) * (1 + 0.01 * noise()),
  }).comparisons;
  assert.ok(ci95[0] > 1.05 && ci95[1] < 1.15, `${ratio}: ${ci95}`);
});

test('no significance, no claim: the table says so', () => {
  const text = formatResults(resultsOf({ a: around(50), b: around(50), c: around(80) }));
  assert.match(text, / b .*no difference seen/);
  assert.match(text, / c .* 1\.\d\d x/);
});

test('drift over the run is warned of, a steady run is not', () => {
  const hot = resultsOf({ a: (round, noise) => 50 + 0.3 * round + noise(), b: around(50) });
  assert.equal(hot.warnings.length, 1);
  assert.match(hot.warnings[0], /time of a, 2 workers changed by \+1\d\.\d %/);
  assert.match(formatResults(hot), /warning: planted drifts/);
  assert.deepEqual(resultsOf({ a: around(50), b: around(50) }).warnings, []);
});

test('outliers are counted and kept', () => {
  const results = resultsOf({ a: (round, noise) => (round === 7 ? 500 : 50 + noise()) });
  assert.equal(results.rows[0].outliers, 1);
  assert.equal(results.rows[0].samples.length, 30);
  assert.match(formatResults(results), /1 of 30 samples/);
});

test('comparing two files: a slowdown beyond the threshold is a regression, a speed-up is none', () => {
  const before = resultsOf({ a: around(50), b: around(50), c: around(50), d: around(50) });
  const after = resultsOf(
    { a: around(50), b: around(60), c: around(40), e: around(50) },
    { seed: 2 },
  );
  const comparison = compareResults(before, after, 5);
  assert.deepEqual(
    comparison.changes.map(({ label, verdict }) => [label, verdict]),
    [
      ['a, 2 workers', 'same'],
      ['b, 2 workers', 'regression'],
      ['c, 2 workers', 'better'],
    ],
  );
  assert.deepEqual(comparison.onlyInA, ['planted time: d, 2 workers']);
  assert.deepEqual(comparison.onlyInB, ['planted time: e, 2 workers']);
  assert.match(formatComparison(comparison, before, after, 5), /1 regression of more than 5 %/);
  const lenient = compareResults(before, after, 50).changes.map(({ verdict }) => verdict);
  assert.deepEqual(lenient, ['same', 'worse', 'better']);
});

test('where more is better, less is the regression', () => {
  const files = [50, 40].map((median) => {
    const results = resultsOf({ a: around(median) });
    results.rows.forEach((row) => (row.better = 'higher'));
    return results;
  });
  assert.equal(compareResults(files[0], files[1], 5).changes[0].verdict, 'regression');
  assert.equal(compareResults(files[1], files[0], 5).changes[0].verdict, 'better');
});

test('CSV holds one line a sample; commas and quotes survive', () => {
  const results = resultsOf({ a: (round) => round }, { runs: 3 });
  results.rows[0].variant = 'a "b", c';
  const lines = toCsv(results).split('\r\n');
  assert.equal(lines[0], 'scenario,variant,engine,level,workers,n,metric,unit,round,value');
  assert.equal(lines[3], 'planted,"a ""b"", c",,,2,,time,ms,2,2');
  assert.equal(lines.length, 5);
});
