import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatAnswers } from '../../../bench/report/paper-table.js';
import { paperResults } from './paper-results.js';

test('measurements are compared with those of the paper, by the number of games', () => {
  const text = formatAnswers(paperResults());
  for (const line of [
    /paper +process 1076 ms, thread 4 ms$/m,
    /hold\? +a process takes 1\.25 times as long as a thread; .*; in 2013, .* 269 times as long/,
    /thread +1, 2 and 4 games: 20 % less$/m,
    /zygote +1, 2 and 4 games: 50 % less$/m,
    /paper +thread 9\.1 to 28\.5 % less\n/,
    /marked +1, 2 and 4 games: 4 % less$/m,
    /hold\? +1, 2 and 4 games: yes$/m,
  ]) {
    assert.match(text, line);
  }
  assert.doesNotMatch(text, /Run time/);
});
