import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import test from 'node:test';

/**
 * Measures the memory of a process that allocates much and keeps some of it for a while.
 * @param {boolean} small calls keepHeapSmall()
 * @returns {{young: number, anonymous: number}} maximum size of the young generation, and anonymous memory in the end,
 *   MiB
 */
function memoryMib(small) {
  const [url, account] = ['memory-tuning.js', 'memory-account.js'].map(
    (name) => new URL(`../../app/process/${name}`, import.meta.url).href,
  );
  const program = `
    const { keepHeapSmall } = await import(${JSON.stringify(url)});
    if (${small}) keepHeapSmall();
    const { memoryOfSync } = await import(${JSON.stringify(account)});
    const { getHeapSpaceStatistics } = await import('node:v8');
    let young = 0;
    const kept = new Map();
    for (let i = 0; i < 600_000; i++) {
      kept.set(i % 20_000, { i, text: 'item ' + i, list: [i, i + 1] });
      if (i % 1000 !== 0) continue;
      const space = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
      young = Math.max(young, space.space_size / 2 ** 20);
    }
    const { anonymousKib } = memoryOfSync([process.pid]);
    console.log(JSON.stringify({ young, anonymous: anonymousKib / 1024 }));`;
  const run = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
  });
  assert.equal(run.status, 0, run.stderr);
  return JSON.parse(run.stdout);
}

test('keepHeapSmall() keeps the heap small in a process that allocates much', () => {
  const [small, usual] = [memoryMib(true), memoryMib(false)];
  const figures = JSON.stringify({ small, usual });
  assert.ok(small.young < 0.3 * usual.young, figures);
  assert.ok(small.anonymous < 0.8 * usual.anonymous, figures);
});
