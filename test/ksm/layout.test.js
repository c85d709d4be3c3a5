import test from 'node:test';
import assert from 'node:assert/strict';
import { fork, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { LEVELS, aslrIsOff, mergeableSpawnOptions, withoutAslr } from '../../ksm/layout.js';
import { probeFeatures } from '../../ksm/features.js';
import { startChild } from './children.js';
import { ksmdTests, rollup, scan } from './ksmd.js';

const features = probeFeatures();
const noPersonality = features.personality ? false : 'needs personality(2)';
const noPrctl = features.prctl ? false : 'needs Linux 6.4 with KSM';

/**
 * Returns options with another time of the first and of later collections of garbage.
 * @param {string} times ms, see ksm/preload.cjs @param {import('../../ksm/layout.js').Level} [level]
 */
function settling(times, level) {
  const { env, ...layout } = mergeableSpawnOptions({ level });
  return { ...layout, env: level === 'off' ? env : { ...env, PITV_KSM_SETTLE: times } };
}

test('off changes nothing', () => {
  const { execArgv, env, around } = mergeableSpawnOptions({ level: 'off' });
  assert.deepEqual([execArgv, env], [[], {}]);
  const spawned = around(() => 5);
  assert.equal(spawned, 5);
});

test('each level includes the one before', () => {
  const [, mark, seeds, identical] = LEVELS.map((level) => mergeableSpawnOptions({ level }));
  const missing = mark.execArgv.filter((arg) => !seeds.execArgv.includes(arg));
  assert.deepEqual(missing, []);
  assert.ok(!mark.execArgv.some((arg) => arg.includes('seed') || arg === '--single-threaded'));
  assert.ok(seeds.execArgv.includes('--random-seed=1') && seeds.execArgv.includes('--hash-seed=1'));
  assert.deepEqual(identical.execArgv, seeds.execArgv);
  const { execArgv, env } = mergeableSpawnOptions();
  assert.deepEqual([execArgv, env], [seeds.execArgv, seeds.env], 'the default');
});

test('an unknown level is an error', () => {
  const level = /** @type {any} */ ('most');
  assert.throws(() => mergeableSpawnOptions({ level }), { code: 'KSM_USAGE' });
});

test('launched processes', async (t) => {
  /** @param {import('../../ksm/layout.js').Level} level */
  const start = (level) => startChild(t, mergeableSpawnOptions({ level }));
  const [mark, seeds] = await Promise.all([start('mark'), start('seeds')]);
  const pair = noPersonality ? [] : await Promise.all([start('identical'), start('identical')]);

  await t.test('are marked before their program runs', { skip: noPrctl }, async () => {
    for (const child of [mark, seeds, ...pair]) {
      assert.equal(await child.ask('getMemoryMerge'), true);
    }
  });

  await t.test('have no ASLR at level identical only', { skip: noPersonality }, async () => {
    assert.equal(aslrIsOff(), false, 'this process');
    assert.equal(await seeds.ask('aslrIsOff'), false);
    for (const child of pair) assert.equal(await child.ask('aslrIsOff'), true);
  });

  await t.test('have the same addresses at level identical', { skip: noPersonality }, () => {
    const heaps = pair.map(
      ({ pid }) =>
        readFileSync(`/proc/${pid}/maps`, 'utf8')
          .split('\n')
          .find((line) => line.endsWith('[heap]'))
          ?.split('-')[0],
    );
    assert.ok(heaps[0]);
    assert.equal(heaps[0], heaps[1]);
  });
});

test('the personality is restored when the spawn throws', { skip: noPersonality }, () => {
  assert.throws(
    () =>
      withoutAslr(() => {
        assert.equal(aslrIsOff(), true);
        throw new RangeError('no spawn');
      }),
    RangeError,
  );
  assert.equal(aslrIsOff(), false);
  assert.throws(() => withoutAslr(() => fork(/** @type {any} */ (5))), TypeError);
  assert.equal(aslrIsOff(), false);
});

test('garbage is collected once, at the event of the program or after a while', () => {
  // The interval wakes the event loop, which then delivers the entries to the observer.
  const { execArgv, env } = settling('50,50');
  const program = `
    const alive = setTimeout(() => process.exit(3), 20_000);
    const { PerformanceObserver, constants } = require('node:perf_hooks');
    let major = 0;
    new PerformanceObserver((list) => {
      for (const { detail } of list.getEntries()) if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) major++;
      if (major >= 2) { console.log(process.listenerCount('ksm:settle')); process.exit(0); }
    }).observe({ entryTypes: ['gc'] });
    if (process.argv[1] === 'emit') process.emit('ksm:settle');`;
  for (const how of ['emit', 'wait']) {
    const run = spawnSync(process.execPath, [...execArgv, '-e', program, how], {
      env: { ...process.env, ...env },
      encoding: 'utf8',
    });
    assert.equal(run.status, 0, `${how}: ${run.stderr}`);
    assert.equal(run.stdout, '0\n');
  }
});

test('modules are read synchronously until the program has settled', () => {
  const { execArgv, env } = settling('10000,1000');
  const program = `
    const fs = require('node:fs');
    const { readFile } = fs.promises;
    const missing = readFile(new URL('file:///no/such/file')).then(() => 'read', (error) => error.code);
    const text = readFile(__filename ?? '/dev/null').then(() => 'ok', (error) => error.code);
    process.emit('ksm:settle');
    Promise.all([missing, text]).then((all) => console.log(all[0], fs.promises.readFile !== readFile));`;
  const run = spawnSync(process.execPath, [...execArgv, '-e', program], {
    env: { ...process.env, ...env },
    encoding: 'utf8',
  });
  assert.equal(run.stdout, 'ENOENT true\n', run.stderr);
});

/**
 * Measures the anonymous memory per process after scanning.
 * @param {import('node:test').TestContext} t @param {import('../../ksm/layout.js').Level} level
 */
async function anonymousKib(t, level) {
  const layout = settling('0,0', level);
  // Processes without a mark share no anonymous memory, so one is enough.
  const count = level === 'off' ? 1 : 3;
  const children = await Promise.all(Array.from({ length: count }, () => startChild(t, layout)));
  if (level !== 'off') await scan(4);
  const kib = children.reduce((sum, { pid }) => sum + rollup(pid, 'Pss_Anon'), 0) / count;
  for (const child of children) await child.end();
  return kib;
}

const testKsmd = ksmdTests(noPersonality);
testKsmd('each level needs less memory than the one before', async (t) => {
  const figures = [];
  for (const level of LEVELS) figures.push(await anonymousKib(t, level));
  const [off, mark, seeds, identical] = figures;
  assert.ok(off > mark && mark > seeds && seeds > identical, `${figures} KiB`);
});
