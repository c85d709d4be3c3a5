import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import test from 'node:test';

/**
 * How large the young generation becomes in a process that allocates much and keeps some of it.
 * @param {boolean} small
 */
function youngGenerationMib(small) {
  const url = new URL('../app/small-heap.js', import.meta.url).href;
  const program = `
    const { keepHeapSmall } = await import(${JSON.stringify(url)});
    if (${small}) keepHeapSmall();
    const { getHeapSpaceStatistics } = await import('node:v8');
    let kept = [], most = 0;
    for (let i = 0; i < 60; i++) {
      for (let j = 0; j < 40_000; j++) kept[j % 20_000] = { i, j };
      const young = getHeapSpaceStatistics().find((space) => space.space_name === 'new_space');
      most = Math.max(most, young.space_size);
    }
    console.log(most / 2 ** 20);`;
  const run = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
  });
  assert.equal(run.status, 0, run.stderr);
  return Number(run.stdout);
}

test('the young generation stays small, whatever is allocated', () => {
  const [small, usual] = [youngGenerationMib(true), youngGenerationMib(false)];
  assert.ok(small <= 4 && usual >= 2 * small, `${small} MiB, usually ${usual} MiB`);
});
