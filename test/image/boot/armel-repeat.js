/**
 * Runs the paper's experiments twice on the card for the Pi 1 and the Zero, on an emulated board that counts
 * instructions, with ASLR. The figures must be identical, regardless of the load on this machine. It uses one engine
 * and one worker; `make bench-image BOARD=armel ARGS="--times 2"` runs all.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PAPER_SCENARIOS } from '../../../bench/report/paper.js';
import { benchmark } from '../../../bench/board/run.js';
import { cardFor } from './board.js';

const BOARD = 'armel';
const BENCH = 'paper --quick --runs 1 --engines thread --workers 1';

const { file, why: skip } = await cardFor(BOARD);

test(`pitv bench ${BENCH}: two runs give the same figures`, { skip }, async () => {
  const run = async () => {
    const { results, elapsedMs } = await benchmark(file, BOARD, { bench: BENCH.split(' ') });
    console.log(`# took ${(elapsedMs / 1000).toFixed(0)} s`);
    assert.deepEqual(results.failures, []);
    assert.equal(results.complete, true);
    assert.equal(results.machine.aslr, 2);
    return results;
  };
  const [first, second] = await Promise.all([run(), run()]);
  const scenarios = new Set(first.rows.map(({ scenario }) => scenario));
  assert.deepEqual([...scenarios].sort(), [...PAPER_SCENARIOS].sort());
  assert.deepEqual(second.rows, first.rows);
});
