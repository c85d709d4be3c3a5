/**
 * Runs the attacks on a real TV on which a screen and two pads play. Each attack is one test, and the same
 * rules apply to all (trial.js). `make test` runs a few attacks, `make test-long` all of them, for half a
 * second each; `make hostile` runs all for their whole time.
 */
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { long } from '../support/extent.js';
import { tableOf } from '../../bench/report/markdown.js';
import { ATTACKS } from './attacks.js';
import { COLUMNS, Trials } from './trial.js';

/** The duration of an attack. */
const SHORT_S = 0.5;
/** The attacks of `make test`. The tests of server/ and udp/ send the requests of most of the others. */
const FEW = [
  'message-floods',
  'unread-frames',
  'header-bombs',
  'slowloris',
  'login-flood',
  'udp-flood',
];

const attacks = Object.entries(ATTACKS).filter(([key]) => long || FEW.includes(key));

describe('a match under attack', () => {
  /** @type {import('./trial.js').Figures[]} */
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
