/** Figures at the bounds break no rule; each worse figure breaks exactly one. */
import assert from 'node:assert/strict';
import test from 'node:test';
import { DESCRIPTORS, MEMORY_BYTES } from './support/limited-tv.js';
import { RULES, brokenRules } from './support/trial.js';

/** @type {Omit<import('./support/trial.js').Figures, 'broken'>} */
const unharmed = {
  attack: 'none',
  seconds: 1,
  healthMs: RULES.healthMs,
  joinMs: RULES.joinMs,
  loopMs: { p99: 5, max: 20 },
  tickRatio: RULES.tickRatio,
  frameGapMs: 20,
  descriptors: [30, DESCRIPTORS - 1, 30 + RULES.descriptors],
  memoryMib: [60, MEMORY_BYTES / 1024 / 1024 - 1, 60 + RULES.memoryMib],
  logLines: RULES.logLines,
};

test('figures at the bounds break no rule', () => {
  assert.deepEqual(brokenRules(unharmed), []);
});

/** @type {[Partial<import('./support/trial.js').Figures>, RegExp][]} */
const worse = [
  [{ healthMs: RULES.healthMs + 1 }, /healthz/],
  [{ joinMs: RULES.joinMs + 1 }, /new phone/],
  [{ tickRatio: RULES.tickRatio - 0.01 }, /ticks/],
  [{ descriptors: [30, 40, 31 + RULES.descriptors] }, /descriptors became/],
  [{ descriptors: [30, DESCRIPTORS, 30] }, /all descriptors/],
  [{ memoryMib: [60, 70, 61 + RULES.memoryMib] }, /MiB became/],
  [{ memoryMib: [60, MEMORY_BYTES / 1024 / 1024, 60] }, /the TV took/],
  [{ logLines: RULES.logLines + 1 }, /lines/],
];
for (const [figures, rule] of worse) {
  test(`${JSON.stringify(figures)} breaks one rule`, () => {
    const broken = brokenRules({ ...unharmed, ...figures });
    assert.equal(broken.length, 1);
    assert.match(broken[0], rule);
  });
}
