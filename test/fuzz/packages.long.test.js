/** Plays some random packages in a TV, with another seed in each run. `make fuzz TARGET=packages` plays more. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { missingForLock } from '../../app/engine/lock-support.js';
import { explain, listTargets, run } from './campaign.js';

const PACKAGES = 24;
const missing = missingForLock();
const skip = missing ? `this machine lacks ${missing}` : false;
const seed = Date.now() & 0x7fffffff;

test(`packages that do random things disturb nobody, seed ${seed}`, { skip }, async () => {
  const target = listTargets().find(({ name }) => name === 'packages');
  assert.ok(target);
  const report = await run(target, { seed, runs: PACKAGES, seconds: Infinity });
  assert.equal(explain(report), '');
  assert.ok(report.inputs >= PACKAGES);
});
