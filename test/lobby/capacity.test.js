import assert from 'node:assert/strict';
import test from 'node:test';
import { MATCH_MIB, RESERVE_MIB, capacity } from '../../app/lobby/capacity.js';

const MIB = 1024 * 1024;

test('cores limit the matches when there is enough memory', () => {
  const now = { maxMatches: /** @type {const} */ ('auto'), running: 1, available: 8192 * MIB };
  const expected = { max: 4, running: 1, limit: 'cores', why: '4 cores' };
  assert.deepEqual(capacity({ ...now, cores: 4 }), expected);
  assert.equal(capacity({ ...now, cores: 1 }).why, '1 core');
});

test('memory limits the matches when it is short, and running matches have theirs already', () => {
  const available = (RESERVE_MIB + 1.5 * MATCH_MIB) * MIB;
  const { max, limit, why } = capacity({ maxMatches: 'auto', running: 2, cores: 8, available });
  assert.equal(max, 3);
  assert.equal(limit, 'memory');
  assert.match(why, /memory/);
});

test('without free memory the limit is the number of running matches', () => {
  const { max } = capacity({ maxMatches: 'auto', running: 2, cores: 8, available: 0 });
  assert.equal(max, 2);
});

test('a number that is set is used as it is', () => {
  const now = capacity({ maxMatches: 7, running: 0, cores: 1, available: 0 });
  assert.deepEqual(now, { max: 7, running: 0, limit: 'setting', why: '--max-matches 7' });
});
