/**
 * The harness on the card for the Pi 1 and the Zero, on an emulated board with their ARMv6 processor and
 * one core, its instructions counted: run twice, the figures have to be the same to the last digit,
 * whatever else this machine does. Load and clients run in the board.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { benchmark } from '../../../image/qemu/bench.js';
import { compareRuns, tellRepeat } from '../../../image/qemu/repeat.js';
import { cardFor } from './board.js';

const BOARD = 'armel';
/** All of the paper's experiments: PITV_BENCH_ARGS="paper --quick --runs 1 --workers 1,2,4", an hour and more. */
const ARGS = process.env.PITV_BENCH_ARGS?.split(' ') ?? [
  ...['run', 'startup', '--quick', '--runs', '1'],
];

const { file, why: skip } = await cardFor(BOARD);

test(`pitv bench ${ARGS.join(' ')}: run twice, the same figures`, { skip }, async () => {
  const run = async () => {
    const { results, elapsedMs } = await benchmark(file, BOARD, { bench: ARGS });
    console.log(`# took ${(elapsedMs / 1000).toFixed(0)} s`);
    assert.deepEqual(results.failures, []);
    assert.equal(results.complete, true);
    return results;
  };
  const runs = await Promise.all([run(), run()]);
  const repeat = compareRuns(runs[0], runs[1]);
  console.log(tellRepeat(repeat).replace(/^/gm, '# '));
  assert.deepEqual(repeat.missing, []);
  assert.ok(repeat.numbers >= 18, `${repeat.numbers} figures`);
  assert.equal(repeat.same, repeat.numbers);
});
