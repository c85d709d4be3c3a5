/**
 * The card for the Pi 1 and the Zero, booted on an emulated board with their ARMv6 processor and one
 * core, its instructions counted: what is said of it is the same each time, and so are the harness's
 * figures. Nothing comes from outside: clients and load run in the board.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { benchmark } from '../../../image/qemu/bench.js';
import { compareRuns, tellRepeat } from '../../../image/qemu/repeat.js';
import { cardFor } from './board.js';
import { assertPlayed, playInside } from './inside.js';

const BOARD = 'armel';
/** What is run twice. All of the paper's experiments: PITV_BENCH_ARGS="paper --quick --runs 1 --workers 1,2,4", an hour and more. */
const ARGS = process.env.PITV_BENCH_ARGS?.split(' ') ?? [
  ...['run', 'startup', '--quick', '--runs', '1'],
];

const { file, why: skip } = await cardFor(BOARD);

test(
  'the card for the Pi 1 starts, no unit failed, a whole match is played',
  { skip },
  async () => {
    assertPlayed(await playInside(file, BOARD, { deterministic: true }));
  },
);

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
