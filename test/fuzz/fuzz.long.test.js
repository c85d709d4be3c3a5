/** Fuzzes every target briefly, with another seed in each run. `make fuzz` takes longer. */
import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { explain, leakOf, listTargets, run } from './campaign.js';
import { build, missingCompiler } from './run-c.js';

const C_SECONDS = 2;
const noCompiler = missingCompiler();
const seed = Date.now() & 0x7fffffff;

/** @param {import('./campaign.js').Entry} target @returns {Promise<{seconds: number, missing?: string}>} */
async function aboutOf({ file }) {
  if (file.endsWith('.c')) return { seconds: C_SECONDS, missing: noCompiler };
  return (await import(pathToFileURL(file).href)).default;
}

describe(`random input, seed ${seed}`, { concurrency: availableParallelism() }, () => {
  before(() => noCompiler || build());

  for (const target of listTargets()) {
    test(target.name, async (t) => {
      const { seconds, missing } = await aboutOf(target);
      if (missing) {
        t.skip(missing);
        return;
      }
      const report = await run(target, { seed, runs: Infinity, seconds });
      assert.equal(explain(report), '');
      assert.equal(leakOf(report), '');
      assert.ok(report.inputs > 0, 'inputs were tried');
    });
  }
});
