import assert from 'node:assert/strict';
import test from 'node:test';
import { memoryPlot, plotsOf } from '../../app/web/admin/history-plots.js';
import { HourOfSamples } from '../../app/web/admin/hour-of-samples.js';

const INTERVAL_MS = 15_000;

/**
 * Makes an answer of the TV with samples each 15 s.
 * @param {Partial<import('../../app/web/admin/hour-of-samples.js').History>} answer
 * @param {number[]} at
 * @returns {import('../../app/web/admin/hour-of-samples.js').History}
 */
function answerWith(answer, at) {
  const column = (/** @type {number | null} */ value) => at.map(() => value);
  return {
    run: 1,
    first: 0,
    intervalMs: INTERVAL_MS,
    nowMs: at.at(-1) ?? 0,
    wallMs: 1_800_000_000_000,
    at,
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
    ...answer,
  };
}

/** @param {import('../../app/web/admin/hour-of-samples.js').History} answer */
function hourOf(answer) {
  const hour = new HourOfSamples();
  assert.equal(hour.add(answer), true);
  return hour;
}

/** @param {HourOfSamples} hour @param {string} id */
function plot(hour, id) {
  const found = plotsOf(hour).plots.find((one) => one.id === id);
  assert.ok(found, id);
  return found;
}

test('new samples are appended, and those older than an hour are dropped', () => {
  const hour = hourOf(answerWith({}, [0, INTERVAL_MS]));
  assert.equal(hour.newest, 1);
  const later = 3_600_000 + INTERVAL_MS;
  assert.equal(hour.add(answerWith({ first: 2 }, [later])), true);
  assert.deepEqual(hour.at, [INTERVAL_MS, later]);
  assert.equal(hour.columns.matches.length, 2);
  assert.equal(hour.memory.length, 2);
  assert.equal(hour.newest, 2);
});

test('after a restart of the TV all samples are requested and replaced', () => {
  const hour = hourOf(answerWith({}, [0, INTERVAL_MS, 2 * INTERVAL_MS]));
  const other = answerWith({ run: 2, first: 3 }, [9 * INTERVAL_MS]);
  assert.equal(hour.add(other), false, 'the first three are missing');
  assert.equal(hour.newest, -1);
  assert.equal(hour.add(answerWith({ run: 2 }, [0, INTERVAL_MS])), true);
  assert.deepEqual(hour.at, [0, INTERVAL_MS]);
});

test('a page that has missed samples starts again with those that the TV still has', () => {
  const hour = hourOf(answerWith({}, [0]));
  assert.equal(hour.add(answerWith({ first: 500 }, [7_500_000])), true);
  assert.deepEqual([hour.at, hour.newest], [[7_500_000], 500]);
});

test('times are those of the wall clock, also of samples from before it was set', () => {
  const hour = hourOf(answerWith({}, [0, INTERVAL_MS]));
  assert.deepEqual(hour.seconds, [1_799_999_985, 1_800_000_000]);
  assert.deepEqual(hour.range, [1_799_999_700, 1_800_000_000], 'at least five minutes');
  const long = hourOf(answerWith({}, [0, 600_000]));
  assert.deepEqual(long.range, [1_799_999_400, 1_800_000_000], 'since the start');
  const longer = hourOf(answerWith({}, [0, 7_200_000]));
  assert.deepEqual(longer.range, [1_799_996_400, 1_800_000_000], 'at most an hour');
});

test('a pause leaves a gap in every series', () => {
  const hour = hourOf(answerWith({}, [0, INTERVAL_MS, 20 * INTERVAL_MS]));
  const { seconds, plots } = plotsOf(hour);
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
  const { series } = plot(hourOf(answerWith({ memory }, at)), 'memory');
  const [{ values }] = series;
  assert.deepEqual(values.slice(0, 3), [null, 2, 2]);
  assert.deepEqual(values.slice(9), [2, null, null]);
});

test('a plot without data has a sentence instead', () => {
  const empty = hourOf(answerWith({ memory: [null] }, [0]));
  assert.match(plot(empty, 'memory').note, /while this page is open/);
  assert.match(plot(empty, 'temperature').note, /neither temperature nor throttling/);
  assert.match(plot(empty, 'late').note, /No tick was late/);
  assert.match(plot(empty, 'restarts').note, /No worker was restarted/);
  assert.equal(plot(empty, 'loop').note, '');
  const none = new HourOfSamples();
  assert.match(plot(none, 'loop').note, /No sample yet/);
});

test('delays fit the logarithmic axis, and throttled times are shaded', () => {
  const hour = hourOf(answerWith({}, [0, INTERVAL_MS]));
  const median = plot(hour, 'loop').series.find(({ label }) => label === 'median');
  assert.deepEqual(median?.values, [0.1, 0.1]);
  const answer = answerWith({}, [0, INTERVAL_MS]);
  answer.columns.celsius = [60, 85];
  answer.columns.throttled = [0, 4];
  const { shade, note } = plot(hourOf(answer), 'temperature');
  assert.equal(note, '');
  assert.deepEqual(shade?.at, [false, true]);
});
