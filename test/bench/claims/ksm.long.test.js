/** KSM merges more at each level, in a TV with four matches in processes. */
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { probeFeatures } from '../../../ksm/features.js';
import { ksmdMissing } from '../../ksm/ksmd.js';
import { measure } from './measure.js';

const ROUNDS = 2;
const MATCHES = 4;
const OFF = { variant: 'process' };
/** Half of what merging alone usually saves of unreclaimable memory, percent, by level. */
const MIN_SAVED = Object.freeze({ seeds: 7, identical: 12 });

const { personality } = probeFeatures();
const skip = ksmdMissing || (personality ? false : 'needs personality(2)');

/** @param {string} level */
const at = (level) => ({ variant: 'process + KSM', level });

describe('KSM levels', { skip }, () => {
  /** @type {import('./measure.js').Measurement} */
  let memory;
  before(async () => {
    memory = await measure('memory', ROUNDS, {
      engines: ['process'],
      workers: [MATCHES],
      wanted: ({ variant }) => !/mark, ksmd off/.test(variant),
    });
  });

  test('merged pages: none without a mark, several times as many with seeds as with a mark', () => {
    assert.equal(memory.median('ksm', OFF), 0);
    assert.ok(memory.median('ksm', at('mark')) > 0);
    memory.assertRatio('ksm', at('seeds'), at('mark'), 3);
  });

  test('memory: less with seeds than with a mark or without KSM, and no more with identical', () => {
    memory.assertRatio('unreclaimable', OFF, at('seeds'), 1.15);
    memory.assertRatio('unreclaimable', at('mark'), at('seeds'), 1.15);
    memory.assertRatio('unreclaimable', at('seeds'), at('identical'), 0.98);
  });

  for (const [level, percent] of Object.entries(MIN_SAVED)) {
    test(`${level}: merging alone, without the launch, saves more than ${percent} %`, () => {
      const saved = memory.median('saved_merging', at(level));
      assert.ok(saved > percent, `${saved} %`);
    });
  }
});
