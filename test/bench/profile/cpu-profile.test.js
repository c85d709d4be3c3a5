/** Tests reading and writing CPU profiles. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { readCpuProfile, ticksOf, toCpuProfile } from '../../../bench/profile/cpu-profile.js';
import { summarise } from '../../../bench/profile/summary.js';
import { temporaryFolder } from '../../support/tv.js';

const HOT = fileURLToPath(new URL('./hot.js', import.meta.url));

test('a known hot function is found, with its position and its callers', async (t) => {
  const folder = await temporaryFolder(t);
  const where = ['--cpu-prof-dir', folder, '--cpu-prof-name', 'hot.cpuprofile'];
  execFileSync(process.execPath, ['--cpu-prof', ...where, HOT]);
  const ticks = await readCpuProfile(join(folder, 'hot.cpuprofile'));
  const { hottest, bottomUp } = summarise(ticks);
  assert.equal(hottest[0].name, 'knownToBeHot test/bench/profile/hot.js:2');
  assert.ok(hottest[0].percent > 50, `${hottest[0].percent}`);
  const callers = bottomUp[0].callers.map(({ name }) => name).join();
  assert.match(callers, /callsTheHotOne test\/bench\/profile\/hot\.js:7|anonymous/); // it may have been inlined
});

test('idle samples are ignored; garbage collection and native code are distinguished from JavaScript', () => {
  /** @param {number} id @param {string} functionName @param {number[]} [children] @param {string} [url] */
  const node = (id, functionName, children = [], url = '') => ({
    id,
    callFrame: { functionName, url, scriptId: '0', lineNumber: 9, columnNumber: 4 },
    children,
  });
  const nodes = [
    node(1, '(root)', [2, 3, 4, 6]),
    node(2, '(idle)'),
    node(3, '(program)'),
    node(4, 'step', [5, 7], 'file:///game.js'),
    node(5, '(garbage collector)'),
    node(6, '', [], 'file:///game.js'),
    node(7, 'sort'),
  ];
  const samples = [2, 2, 3, 4, 4, 5, 6, 7];
  const ticks = ticksOf({ nodes, samples, startTime: 0, endTime: 8 });
  assert.deepEqual(ticks.classes, ['cpp', 'js', 'js', 'gc', 'js', 'js']);
  assert.deepEqual(
    ticks.stacks.map((stack) => stack.map((i) => ticks.frames[i].name)),
    [
      ['(program)'],
      ['step file:///game.js:10'],
      ['step file:///game.js:10'],
      ['step file:///game.js:10', '(garbage collector)'],
      ['(anonymous) file:///game.js:10'],
      ['step file:///game.js:10', 'sort (built-in)'],
    ],
  );
});

test('samples are converted to a call tree with C++ functions', () => {
  const frames = /** @type {import('../../../bench/profile/ticks.js').Frame[]} */ ([
    { name: 'main app/a.js:7', kind: 'js' },
    { name: 'node::Hash', kind: 'cpp' },
  ]);
  const ticks = { frames, stacks: [[0, 1], [0], [0, 1]], classes: [], symbols: true };
  const { nodes, samples, timeDeltas, endTime } = toCpuProfile(ticks);
  assert.deepEqual(
    nodes.map(({ id, hitCount, children, callFrame: { functionName, url, lineNumber } }) => {
      return [id, functionName, url, lineNumber, hitCount, children];
    }),
    [
      [1, '(root)', '', -1, 0, [2]],
      [2, 'main', 'app/a.js', 6, 1, [3]],
      [3, 'node::Hash', '', -1, 2, []],
    ],
  );
  assert.deepEqual([samples, timeDeltas, endTime], [[3, 2, 3], [1000, 1000, 1000], 3000]);
});

test('a file that is not a profile is an error with a code', async (t) => {
  const path = join(await temporaryFolder(t), 'bad.cpuprofile');
  for (const text of ['', '{}', '[1']) {
    await writeFile(path, text);
    await assert.rejects(readCpuProfile(path), { code: 'PITV_PROFILE_LOG' });
  }
});
