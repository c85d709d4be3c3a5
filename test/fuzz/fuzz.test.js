/** Fuzzes every target briefly, with another seed in each run. `make fuzz` takes longer. */
import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { all } from '../support/extent.js';
import { explain, leakOf, listTargets, run } from './campaign.js';
import { build, missingCompiler } from './run-c.js';

const C_SECONDS = 2;
/** In `make test`. This is too short to find a leak; `make test-all` looks for leaks. */
const SHORT_SECONDS = 0.3;
/** Compiling takes longer than the other targets together. */
const skipC = all ? missingCompiler() : 'make test-all runs it';
const seed = Date.now() & 0x7fffffff;

/** @param {import('./campaign.js').Entry} target */
async function secondsOf({ file }) {
  if (!all) return SHORT_SECONDS;
  return file.endsWith('.c') ? C_SECONDS : (await import(pathToFileURL(file).href)).default.seconds;
}

describe(`random input, seed ${seed}`, { concurrency: availableParallelism() }, () => {
  before(() => skipC || build());

  for (const target of listTargets()) {
    const skip = target.file.endsWith('.c') && skipC;
    test(target.name, { skip }, async () => {
      const seconds = await secondsOf(target);
      const report = await run(target, { seed, runs: Infinity, seconds });
      assert.equal(explain(report), '');
      assert.equal(leakOf(report), '');
      assert.ok(report.inputs > 0, 'inputs were tried');
    });
  }
});
