/**
 * The paper's experiments on the card for the Pi 1 and the Zero, clients, load and all, twice on an emulated
 * board that counts instructions: the harness's figures are the same to the last digit, whatever else this
 * machine does. One engine and one worker of them; `make bench-image BOARD=armel ARGS="--times 2"` has
 * the rest.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { benchmark } from '../../../image/qemu/bench.js';
import { compareRuns, tellRepeat } from '../../../image/qemu/repeat.js';
import { cardFor } from './board.js';

const BOARD = 'armel';
const BENCH = 'paper --quick --runs 1 --engines thread --workers 1';
/** Six of `startup`, eight of `memory`, five of `runtime`. */
const FIGURES = 19;

const { file, why: skip } = await cardFor(BOARD);

test(`pitv bench ${BENCH}: run twice, the same figures`, { skip }, async () => {
  const run = async () => {
    const { results, elapsedMs } = await benchmark(file, BOARD, { bench: BENCH.split(' ') });
    console.log(`# took ${(elapsedMs / 1000).toFixed(0)} s`);
    assert.deepEqual(results.failures, []);
    assert.equal(results.complete, true);
    return results;
  };
  const runs = await Promise.all([run(), run()]);
  const repeat = compareRuns(runs[0], runs[1]);
  console.log(tellRepeat(repeat).replace(/^/gm, '# '));
  assert.deepEqual(repeat.missing, []);
  assert.equal(repeat.numbers, FIGURES);
  assert.equal(repeat.same, FIGURES);
});
