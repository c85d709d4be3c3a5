import assert from 'node:assert/strict';
import test from 'node:test';
import { memoryPlot, plotsOf } from '../../app/web/admin/history-plots.js';

const INTERVAL_MS = 15_000;
const WALL_MS = 1_800_000_000_000;

/** @typedef {import('../../app/system/history.js').History} History */

/**
 * Makes the answer of a TV that has samples at some times.
 * @param {number[]} at ms @param {Partial<History>} [more] @returns {History}
 */
function historyOf(at, more) {
  const column = (/** @type {number | null} */ value) => at.map(() => value);
  return {
    intervalMs: INTERVAL_MS,
    now: WALL_MS + (at.at(-1) ?? 0),
    at: at.map((ms) => WALL_MS + ms),
    columns: {
      loopP50Ms: column(0.02),
      loopP99Ms: column(2),
      loopMaxMs: column(25),
      lateTicks: column(0),
      matches: column(1),
      phones: column(2),
      restarts: column(0),
      celsius: column(null),
      throttled: column(null),
    },
    memory: at.map(() => [1, 10_240, 2, 2048]),
    processes: {
      1: { name: 'main', pid: 100, game: null },
      2: { name: 'zygote', pid: 101, game: null },
    },
    ...more,
  };
}

/** @param {History} history @param {string} id */
function plot(history, id) {
  const found = plotsOf(history).plots.find((one) => one.id === id);
  assert.ok(found, id);
  return found;
}

test('the x axis begins at the start of the TV, but is five minutes to an hour long', () => {
  for (const [ms, span] of [
    [INTERVAL_MS, 300],
    [600_000, 600],
    [7_200_000, 3600],
  ]) {
    const { range } = plotsOf(historyOf([0, ms]));
    assert.deepEqual(range, [(WALL_MS + ms) / 1000 - span, (WALL_MS + ms) / 1000]);
  }
});

test('a pause leaves a gap in every series', () => {
  const { seconds, plots } = plotsOf(historyOf([0, INTERVAL_MS, 20 * INTERVAL_MS]));
  assert.equal(seconds.length, 4);
  assert.ok(seconds[1] < seconds[2] && seconds[2] < seconds[3], 'the gap is between its samples');
  for (const { id, series } of plots) {
    for (const { values } of series) {
      assert.equal(values.length, 4, id);
      assert.equal(values[2], null, id);
    }
  }
});

test('memory has an area for each process, from the main process upwards', () => {
  const memory = [
    [1, 10_240, 2, 2048, 3, 1024],
    [1, 10_240, 2, 2048, 4, 1024, 5, 512],
  ];
  const processes = {
    1: { name: 'main', pid: 100, game: null },
    2: { name: 'zygote', pid: 101, game: null },
    3: { name: 'spare', pid: 102, game: null },
    4: { name: 'worker', pid: 102, game: 'bumper' },
    5: { name: 'spare', pid: 103, game: null },
  };
  const { series, note } = memoryPlot(memory, processes);
  assert.equal(note, '');
  const areas = series.map(({ label, values }) => `${label}: ${values}`);
  assert.deepEqual(areas, ['main: 10,10', 'zygote: 2,2', 'spare: 1,0.5', 'bumper 102: 0,1']);
});

test('workers beyond eight are one area; the sum stays', () => {
  const keys = Array.from({ length: 20 }, (_, i) => i + 1);
  const memory = keys.map((key) => [key, 1024]);
  const processes = Object.fromEntries(
    keys.map((key) => [key, { name: 'worker', pid: key, game: 'bumper' }]),
  );
  const { series } = memoryPlot(memory, processes);
  assert.equal(series.length, 9);
  assert.equal(series.at(-1)?.label, 'earlier workers');
  assert.ok(series.some(({ label }) => label === 'bumper 20'));
  for (const i of keys.keys()) {
    const sum = series.reduce((before, { values }) => before + Number(values[i]), 0);
    assert.equal(sum, 1);
  }
});

test('a reading of the memory is held for two minutes', () => {
  const at = Array.from({ length: 12 }, (_, i) => i * INTERVAL_MS);
  const memory = at.map((_, i) => (i === 1 ? [1, 2048] : null));
  const { series } = plot(historyOf(at, { memory }), 'memory');
  const [{ values }] = series;
  assert.deepEqual(values.slice(0, 3), [null, 2, 2]);
  assert.deepEqual(values.slice(9), [2, null, null]);
});

test('a plot without data has a sentence instead', () => {
  const empty = historyOf([0], { memory: [null] });
  assert.match(plot(empty, 'memory').note, /while this page is open/);
  assert.match(plot(empty, 'temperature').note, /neither temperature nor throttling/);
  assert.match(plot(empty, 'late').note, /No tick was late/);
  assert.match(plot(empty, 'restarts').note, /No worker was restarted/);
  assert.equal(plot(empty, 'loop').note, '');
  assert.match(plot(historyOf([]), 'loop').note, /No sample yet/);
});

test('delays fit the logarithmic axis, and throttled times are shaded', () => {
  const history = historyOf([0, INTERVAL_MS]);
  const median = plot(history, 'loop').series.find(({ label }) => label === 'median');
  assert.deepEqual(median?.values, [0.1, 0.1]);
  history.columns.celsius = [60, 85];
  history.columns.throttled = [0, 4];
  const { shade, note } = plot(history, 'temperature');
  assert.equal(note, '');
  assert.deepEqual(shade?.at, [false, true]);
});
