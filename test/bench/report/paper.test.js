import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatAnswers } from '../../../bench/report/paper.js';
import { simulateResults } from './simulated-results.js';

const RUNS = 12;
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
    { runs: RUNS },
  );
}

test('measurements are compared with those of the paper, by the number of games', () => {
  const text = formatAnswers(paperResults());
  for (const line of [
    /paper +process 1076 ms, thread 4 ms$/m,
    /hold\? +a process takes 1\.25 times as long as a thread; .*; in 2013, .* 269 times as long/,
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
