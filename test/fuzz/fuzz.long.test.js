/** Fuzzes every target briefly, with another seed in each run. `make fuzz` takes longer. */
import assert from 'node:assert/strict';
import { availableParallelism } from 'node:os';
import { describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { TARGETS, explain, leakOf, run } from './driver.js';

const SECONDS = 5;
const seed = Date.now() & 0x7fffffff;

describe(`random input, seed ${seed}`, { concurrency: availableParallelism() }, () => {
  for (const target of TARGETS) {
    test(target.name, async (t) => {
      const { missing } = (await import(pathToFileURL(target.file).href)).default;
      if (missing) return t.skip(missing);
      const report = await run(target, { seed, runs: Infinity, seconds: SECONDS });
      assert.equal(explain(report), '');
      assert.equal(leakOf(report), '');
      assert.ok(report.inputs > 0, 'inputs were tried');
    });
  }
});
