/** Fuzzes every target briefly, with another seed in each run. `make fuzz` takes longer. */
import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { build, explain, leakOf, listTargets, missingCompiler, run } from './campaign.js';

const SECONDS = 5;
const noCompiler = missingCompiler();
const seed = Date.now() & 0x7fffffff;

/** @param {import('./campaign.js').Entry} target @returns {Promise<string | undefined>} what is missing to run it */
const missingFor = async ({ file }) =>
  file.endsWith('.c') ? noCompiler : (await import(pathToFileURL(file).href)).default.missing;

describe(`random input, seed ${seed}`, { concurrency: availableParallelism() }, () => {
  before(() => noCompiler || build());

  for (const target of listTargets()) {
    test(target.name, async (t) => {
      const missing = await missingFor(target);
      if (missing) return t.skip(missing);
      const report = await run(target, { seed, runs: Infinity, seconds: SECONDS });
      assert.equal(explain(report), '');
      assert.equal(leakOf(report), '');
      assert.ok(report.inputs > 0, 'inputs were tried');
    });
  }
});
