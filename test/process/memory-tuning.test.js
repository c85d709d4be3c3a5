import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import test from 'node:test';

/**
 * How large the heap becomes in a process that allocates much and keeps some of it for a while.
 * @param {boolean} small
 * @returns {{young: number, all: number}} MiB at most
 */
function heapMib(small) {
  const url = new URL('../../app/process/memory-tuning.js', import.meta.url).href;
  const program = `
    const { keepHeapSmall } = await import(${JSON.stringify(url)});
    if (${small}) keepHeapSmall();
    const { getHeapSpaceStatistics, getHeapStatistics } = await import('node:v8');
    const most = { young: 0, all: 0 };
    const kept = new Map();
    for (let i = 0; i < 600_000; i++) {
      kept.set(i % 20_000, { i, text: 'item ' + i, list: [i, i + 1] });
      if (i % 1000 !== 0) continue;
      const young = getHeapSpaceStatistics().find((space) => space.space_name === 'new_space');
      most.young = Math.max(most.young, young.space_size / 2 ** 20);
      most.all = Math.max(most.all, getHeapStatistics().total_heap_size / 2 ** 20);
    }
    console.log(JSON.stringify(most));`;
  const run = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
  });
  assert.equal(run.status, 0, run.stderr);
  return JSON.parse(run.stdout);
}

test('the heap stays small, whatever is allocated', () => {
  const [small, usual] = [heapMib(true), heapMib(false)];
  const figures = JSON.stringify({ small, usual });
  assert.ok(small.young <= 4 && usual.young >= 2 * small.young, figures);
  assert.ok(small.all < 0.7 * usual.all, figures);
});
