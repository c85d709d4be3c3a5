/**
 * Runs the attacks of attacks/ on a real TV on which a screen and two pads play. Each attack is one test, and the same
 * rules apply to all (support/trial.js). `make test` runs a few attacks, `make test-long` all of them, for half a
 * second each; `make hostile` runs all for their whole time.
 */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { long } from '../support/extent.js';
import { tableOf } from '../../bench/report/markdown.js';
import { loadAttacks } from './support/attacker.js';
import { DESCRIPTORS, MEMORY_MIB } from './support/game.js';
import { COLUMNS, RULES, Trials, brokenRules } from './support/trial.js';

/** The duration of an attack. */
const SHORT_S = 0.5;
/** The attacks of `make test`. The tests of server/ and udp/ send the requests of most of the others. */
const FEW = [
  'compressed-frames',
  'message-floods',
  'unread-frames',
  'header-bombs',
  'slowloris',
  'login-flood',
  'udp-flood',
];

const attacks = Object.entries(await loadAttacks()).filter(([key]) => long || FEW.includes(key));

describe('a match under attack', () => {
  /** @type {import('./support/trial.js').Figures[]} */
  const figuresOfAll = [];
  const trials = new Trials('zygote');
  after(async () => {
    await trials.close();
    console.log(tableOf(COLUMNS, figuresOfAll, 1));
  });

  for (const [key, attack] of attacks) {
    test(attack.name, { skip: attack.slow && 'make hostile runs it' }, async () => {
      const figures = await trials.run(key, attack, SHORT_S);
      figuresOfAll.push(figures);
      assert.deepEqual(figures.broken, []);
    });
  }
});

test('figures at the bounds break no rule, and each worse figure breaks exactly one', () => {
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
    memoryMib: [60, MEMORY_MIB - 1, 60 + RULES.memoryMib],
    logLines: RULES.logLines,
  };
  assert.deepEqual(brokenRules(unharmed), []);
  /** @type {[Partial<import('./support/trial.js').Figures>, RegExp][]} */
  const worse = [
    [{ healthMs: RULES.healthMs + 1 }, /healthz/],
    [{ joinMs: RULES.joinMs + 1 }, /new phone/],
    [{ tickRatio: RULES.tickRatio - 0.01 }, /ticks/],
    [{ descriptors: [30, 40, 31 + RULES.descriptors] }, /descriptors became/],
    [{ descriptors: [30, DESCRIPTORS, 30] }, /all descriptors/],
    [{ memoryMib: [60, 70, 61 + RULES.memoryMib] }, /MiB became/],
    [{ memoryMib: [60, MEMORY_MIB, 60] }, /the TV took/],
    [{ logLines: RULES.logLines + 1 }, /lines/],
  ];
  for (const [figures, rule] of worse) {
    const broken = brokenRules({ ...unharmed, ...figures });
    assert.equal(broken.length, 1, JSON.stringify(figures));
    assert.match(broken[0], rule);
  }
});
