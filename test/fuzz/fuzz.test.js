/** Every target for a few seconds, each run with another seed; `make fuzz` runs them for longer. */
import assert from 'node:assert/strict';
import test, { before } from 'node:test';
import { pathToFileURL } from 'node:url';
import { explain, leakOf, listTargets, run } from './campaign.js';
import { build } from './run-c.js';

const C_SECONDS = 2;
const seed = Date.now() & 0x7fffffff;

before(build);

for (const target of listTargets()) {
  test(`${target.name} (seed ${seed})`, async () => {
    const seconds = target.file.endsWith('.c')
      ? C_SECONDS
      : (await import(pathToFileURL(target.file).href)).default.seconds;
    const report = await run(target, { seed, runs: Infinity, seconds });
    assert.equal(explain(report), '');
    assert.equal(leakOf(report), '');
    assert.ok(report.inputs > 0, 'some inputs were tried');
  });
}
