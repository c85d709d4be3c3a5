/** Tests reading V8's tick log, with a program whose hottest function is known. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';
import { summarise } from '../../../bench/profile/summary.js';
import { joinLibraries } from '../../../bench/profile/symbols.js';
import { readTicks } from '../../../bench/profile/ticks.js';
import { temporaryFolder } from '../../support/tv.js';

const HOT = fileURLToPath(new URL('./hot.js', import.meta.url));

/** @param {import('node:test').TestContext} t @returns {Promise<string>} the log */
async function profileHot(t) {
  const folder = await temporaryFolder(t);
  const child = spawn(process.execPath, ['--prof', `--logfile=${join(folder, 'v8.log')}`, HOT]);
  assert.equal((await once(child, 'close'))[0], 0);
  const [name] = (await readdir(folder)).filter((each) => each.endsWith('v8.log'));
  return join(folder, name);
}

test('a known hot function is found, with its callers', async (t) => {
  const log = await profileHot(t);
  const ticks = await readTicks(log);
  const { summary, hottest, bottomUp } = summarise(ticks);
  const js = /** @type {{percent: number}} */ (summary.find(({ name }) => name === 'JavaScript'));
  assert.match(
    hottest[0].name,
    /^knownToBeHot test\/bench\/profile\/hot\.js:2$/,
    JSON.stringify(summary),
  );
  // How long Node.js itself takes to start differs by build, so the share is that of the JavaScript.
  assert.ok(hottest[0].percent > js.percent / 2 && hottest[0].inclusive >= hottest[0].percent);
  assert.match(bottomUp[0].name, /^knownToBeHot/);
  const callers = bottomUp[0].callers.map(({ name }) => name).join();
  assert.match(callers, /callsTheHotOne|anonymous/); // it may have been inlined
  const total = summary.reduce((sum, { percent }) => sum + percent, 0);
  assert.ok(Math.abs(total - 100) < 0.001);
  // Samples outside the given time do not count.
  const empty = summarise(await readTicks(log, { fromMs: 1e6 }));
  assert.deepEqual([empty.ticks, empty.hottest, empty.bottomUp], [0, [], []]);
});

test('a file that is not a log is an error with a code', async (t) => {
  const folder = await temporaryFolder(t);
  const path = join(folder, 'bad.log');
  await writeFile(path, 'this is no log\n');
  await assert.rejects(readTicks(path), { code: 'PITV_PROFILE_LOG' });
});

test('the mappings of a file are joined into one line', () => {
  const log = [
    'v8-version,11,3,244,8,0',
    'shared-library,/usr/bin/node,0x400000,0xb71000,0',
    'shared-library,/usr/bin/node,0x400000,0x25fe000,0',
    'shared-library,/lib/libc.so.6,0x7f0000,0x7f9000,0',
    'tick,0x1,2,0,0x0,0',
  ].join('\n');
  const { text, libraries } = joinLibraries(log);
  assert.deepEqual(libraries, [
    { path: '/usr/bin/node', start: 0x400000, end: 0x25fe000 },
    { path: '/lib/libc.so.6', start: 0x7f0000, end: 0x7f9000 },
  ]);
  assert.deepEqual(text.split('\n'), [
    'v8-version,11,3,244,8,0',
    'shared-library,/usr/bin/node,0x400000,0x25fe000,0',
    'shared-library,/lib/libc.so.6,0x7f0000,0x7f9000,0',
    'tick,0x1,2,0,0x0,0',
  ]);
});

test('samples are summarised by kind, function and caller', () => {
  const frames = /** @type {import('../../../bench/profile/ticks.js').Frame[]} */ ([
    { name: 'main', kind: 'js' },
    { name: 'hash', kind: 'cpp' },
    { name: 'login', kind: 'js' },
  ]);
  const stacks = [[0, 2, 1], [0, 2, 1], [0, 1], [0]];
  const classes = /** @type {import('../../../bench/profile/ticks.js').Class[]} */ (
    'cpp cpp cpp js'.split(' ')
  );
  const ticks = { frames, stacks, classes, symbols: true };
  const { summary, hottest, bottomUp } = summarise(ticks);
  assert.deepEqual(
    summary.map(({ name, ticks: n, percent }) => [name, n, percent]),
    [
      ['JavaScript', 1, 25],
      ['C++', 3, 75],
      ['GC', 0, 0],
      ['Shared libraries', 0, 0],
      ['Unaccounted', 0, 0],
    ],
  );
  assert.deepEqual(hottest[0], {
    name: 'hash',
    kind: 'cpp',
    ticks: 3,
    percent: 75,
    inclusive: 75,
  });
  assert.equal(hottest[1].inclusive, 100);
  const [{ callers }] = bottomUp;
  assert.deepEqual(
    callers.map(({ name, ticks: n }) => [name, n]),
    [
      ['login', 2],
      ['main', 1],
    ],
  );
  assert.deepEqual(callers[0].callers[0].name, 'main');
});
