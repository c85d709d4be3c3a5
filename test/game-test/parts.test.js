import assert from 'node:assert/strict';
import { test } from 'node:test';
import { boardFactors, measureStepMs } from '../../app/game-test/boards.js';
import {
  findGrowth,
  firstDifference,
  nameDifferences,
  stateFields,
} from '../../app/game-test/compare.js';
import { RandomPlayers } from '../../app/game-test/play.js';
import { readReport, writeProgress, writeResult } from '../../app/game-test/result.js';
import { plays } from '../../app/game-test/verdicts.js';
import { unpackInput } from '../../app/game/input.js';
import { start } from '../game/tiny-game.js';

/** Plays the pads of some ticks. @param {number} seed @param {number} ticks */
function inputs(seed, ticks) {
  const players = new RandomPlayers(4, seed);
  const words = [];
  for (let tick = 0; tick < ticks; tick++) {
    players.advance();
    for (let slot = 0; slot < 4; slot++) words.push(players.readWord(slot));
  }
  return { words, players };
}

test('random players join, leave, push and press, the same for the same seed', () => {
  const { words, players } = inputs(7, 3000);
  assert.deepEqual(inputs(7, 3000).words, words);
  assert.notDeepEqual(inputs(8, 3000).words, words);
  const seen = words.map((word) => unpackInput(word));
  assert.ok(seen.some(({ present }) => present) && seen.some(({ present }) => !present));
  for (const value of [0, 1, 2, 3]) assert.ok(seen.some(({ buttons }) => buttons === value));
  assert.ok(
    Math.max(...seen.map(({ x }) => x)) > 0.9 && Math.min(...seen.map(({ y }) => y)) < -0.9,
  );
  assert.ok(players.joins > 8);
  assert.ok(players.readSequence(0) > 100);
});

test('the first difference has seed, tick and part', () => {
  const run = (/** @type {number[]} */ ...hashes) => Int32Array.from(hashes);
  const p = { ticks: 3, hashes: [run(1, 2, 3, 4, 5, 6), run(1, 2, 3, 4, 5, 6)] };
  assert.equal(firstDifference([8, 9], p, p), undefined);
  const frame = { ticks: 3, hashes: [p.hashes[0], run(1, 2, 3, 0, 0, 6)] };
  assert.deepEqual(firstDifference([8, 9], p, frame), { seed: 9, tick: 2, part: 'frame' });
  assert.deepEqual(firstDifference([8, 9], p, frame, 3), { seed: 9, tick: 3, part: 'state' });
  const short = { ticks: 1, hashes: frame.hashes };
  assert.equal(firstDifference([8, 9], p, short), undefined);
});

test('a heap grows if it is larger in the second half, whatever its start was', () => {
  const samples = (/** @type {(i: number) => number} */ bytes) =>
    Array.from({ length: 24 }, (_, i) => ({ tick: 400 * i, bytes: bytes(i) }));
  const warmUp = (/** @type {number} */ i) => (i < 8 ? i * 1e6 : 8e6);
  assert.equal(findGrowth(samples(warmUp))?.grows, false);
  assert.equal(findGrowth(samples((i) => warmUp(i) + (i % 3) * 1e6))?.grows, false);
  const grown = findGrowth(samples((i) => warmUp(i) + 50_000 * i));
  assert.deepEqual(grown, { bytes: 400_000, ticks: 3200, grows: true });
  const early = samples((i) => 50_000 * i).map(({ tick, bytes }) => ({ tick: tick / 4, bytes }));
  assert.equal(findGrowth(early)?.grows, false, 'code is still being compiled');
  assert.equal(findGrowth(samples(warmUp).slice(0, 5)), undefined);
});

test('differences of two states are named', () => {
  const { job, checkpoint: save } = start();
  const fields = stateFields(job);
  const before = save();
  assert.match(nameDifferences(fields, before, before), /^the events or the phase/);
  job.flow.world.x[1]++;
  assert.equal(nameDifferences(fields, before, save()), 'world.x[1]');
  job.flow.score[1] = 5;
  assert.equal(nameDifferences(fields, before, save()), 'flow.score[1] and world.x[1]');
  const middle = save();
  job.flow.world.random();
  assert.match(nameDifferences(fields, middle, save()), /^the world's random numbers/);
  const forged = { name: 'all', offset: 1, elementBytes: 2 ** 26, length: 2 ** 26 };
  assert.match(nameDifferences([forged], before, before), /^the events/);
});

/** @type {import('../../app/game-test/result.js').Result} */
const RESULT = {
  ticks: 2,
  hashes: [Int32Array.from([1, -2, 3, 4])],
  faults: [{ seed: 1, tick: 2, sentence: 'a\u001b[2Jb' }],
  repeat: { seed: 1, tick: 2, part: 'frame' },
  calls: [{ call: 'Date()', sort: 'clock', seed: 1, tick: 1, place: 'a.js:3' }],
  ended: 1,
  joins: 2,
  frameBytes: 300,
  bodies: 4,
  stepMs: { p50: 1, p99: 2, max: 3 },
  heap: [{ tick: 2, bytes: 1e6 }],
  saved: [{ seed: 1, tick: 2, match: 0, bytes: Uint8Array.from([1, 2, 255]) }],
  fields: [{ name: 'world.x', offset: 0, elementBytes: 8, length: 2 }],
};

const PLAN = { ticks: 2, saves: 1, stateBytes: 3 };

test('a result arrives as it was written, its texts without control characters', () => {
  const target = new Uint8Array(new ArrayBuffer(4096));
  const report = readReport(target.subarray(0, writeResult(target, RESULT)), PLAN);
  const faults = [{ seed: 1, tick: 2, sentence: 'a\\u001b[2Jb' }];
  assert.deepEqual(report, { done: true, result: { ...RESULT, faults } });
  const progress = readReport(target.subarray(0, writeProgress(target, 5, 60)), PLAN);
  assert.deepEqual(progress, { done: false, seed: 5, tick: 60 });
  assert.deepEqual(readReport(new Uint8Array(), PLAN), { done: false, seed: 0, tick: 0 });
});

test('a result that a game has forged is refused', () => {
  /** @param {object} forged @param {number} [cut] bytes that are missing */
  const read = (forged, cut = 0) => {
    const result = { ...RESULT, hashes: [], saved: [], ...forged };
    const text = Buffer.from(JSON.stringify({ done: true, result }));
    return readReport(text.subarray(0, text.length - cut), PLAN);
  };
  assert.equal(read({}).done, true);
  for (const forged of [
    { ticks: -1 },
    { ticks: 'many' },
    { ticks: 3 },
    { hashes: 5 },
    { heap: [{ tick: 1, bytes: null }] },
    { faults: [5] },
    { saved: [{}] },
    { stepMs: { p50: 1, p99: -2, max: 3 } },
  ]) {
    assert.throws(() => read(forged), { code: 'PITV_OPTION_INVALID' }, JSON.stringify(forged));
  }
  assert.throws(() => read({}, 9), SyntaxError);
  for (const forged of [5, null, { seed: 1 }, { seed: -1, tick: 0 }, { done: true }]) {
    const bytes = Buffer.from(JSON.stringify(forged));
    assert.throws(() => readReport(bytes, PLAN), { code: 'PITV_OPTION_INVALID' });
  }

  const saved = { seed: 1, tick: 2, match: 0, bytes: 'AAAAAA==' };
  const long = read({ saved: [saved, saved] });
  assert.deepEqual(long.done && long.result.saved, [{ ...saved, bytes: new Uint8Array(3) }]);
});

test('an older board takes longer, and a slower machine is nearer to it', () => {
  const stepMs = measureStepMs();
  assert.ok(stepMs > 0);
  const factors = boardFactors(stepMs);
  const names = factors.map(({ name }) => name);
  assert.deepEqual(names, ['pi1', 'pi2', 'pi4']);
  const [pi1, pi2, pi4] = factors.map(({ factor }) => factor);
  assert.ok(pi1 > 2 * pi2 && pi2 > 4 * pi4);
  const slower = boardFactors(2 * stepMs);
  assert.ok(Math.abs(slower[0].factor - pi1 / 2) < 1e-9);
});

test('a game whose matches never end is not said to play', () => {
  const { verdict, sentence } = plays({ ...RESULT, ended: 0, ticks: 300 }, 300);
  assert.equal(verdict, 'skip');
  assert.match(
    sentence,
    /no match ended within 300 ticks, .* flow\.endRound\(true\)\? .* --ticks\.$/,
  );
  const cut = plays({ ...RESULT, ended: 0, ticks: 100 }, 300).sentence;
  assert.match(cut, /within 100 ticks, .* were cut because their ticks take long\.$/);
  assert.equal(plays(RESULT, 2).verdict, 'pass');
});
