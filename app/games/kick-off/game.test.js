/** Plays the game without a TV: `node --test`. */
import assert from 'node:assert/strict';
import test from 'node:test';
import game from './game.js';

const noInput = () => 0;

/** @param {ReturnType<typeof game.start>} job @param {number} ticks */
function play(job, ticks) {
  for (let tick = 0; tick < ticks && !job.done; tick++) job.step(noInput, noInput);
}

test('bots score, and the match ends', () => {
  const job = game.start({ seed: 1 });
  play(job, 60 * 60 * 10);
  assert.ok(job.done);
  assert.ok(Math.max(...job.flow.teamScore) > 0);
});

test('the same seed gives the same match, also from a checkpoint', () => {
  const job = game.start({ seed: 2 });
  play(job, 1000);
  const checkpoint = new Uint8Array(game.sizes().checkpointBytes);
  job.checkpoint(checkpoint);
  const copy = game.start({ seed: 2 });
  copy.restore(checkpoint);
  for (const each of [job, copy]) play(each, 500);
  assert.deepEqual(copy.flow.world.bytes, job.flow.world.bytes);
});
