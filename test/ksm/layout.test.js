import test from 'node:test';
import assert from 'node:assert/strict';
import { fork, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { LEVELS, aslrIsOff, mergeableSpawnOptions, withoutAslr } from '../../ksm/layout.js';
import { probeFeatures } from '../../ksm/features.js';
import { startChild } from './children.js';
import { ksmdMissing, rollup, scan, withKsmd } from './ksmd.js';

const features = probeFeatures();
const noPersonality = features.personality ? false : 'needs personality(2)';
const noPrctl = features.prctl ? false : 'needs Linux 6.4 with KSM';

test('off changes nothing', () => {
  const { execArgv, env, around } = mergeableSpawnOptions({ level: 'off' });
  assert.deepEqual([execArgv, env], [[], {}]);
  assert.equal(
    around(() => 5),
    5,
  );
});

test('each level does what the one before does, and more', () => {
  const [, mark, seeds, identical] = LEVELS.map((level) => mergeableSpawnOptions({ level }));
  assert.deepEqual(
    mark.execArgv.filter((arg) => !seeds.execArgv.includes(arg)),
    [],
  );
  assert.ok(!mark.execArgv.some((arg) => arg.includes('seed') || arg === '--single-threaded'));
  assert.ok(seeds.execArgv.includes('--random-seed=1') && seeds.execArgv.includes('--hash-seed=1'));
  assert.deepEqual(identical.execArgv, seeds.execArgv);
  const { execArgv, env } = mergeableSpawnOptions();
  assert.deepEqual([execArgv, env], [seeds.execArgv, seeds.env], 'the default');
});

test('parts of a level can be chosen', () => {
  const { execArgv, env } = mergeableSpawnOptions({
    v8Threads: 'keep',
    seed: 99,
    settleAfterMs: 0,
  });
  assert.ok(execArgv.includes('--random-seed=99'));
  assert.ok(!execArgv.includes('--single-threaded') && !execArgv.includes('--expose-gc'));
  assert.equal(env.PITV_KSM_SETTLE, '0,1000');
});

test('wrong options are told', () => {
  for (const options of [{ level: 'most' }, { seed: 0 }, { seed: 1.5 }, { seed: 2 ** 31 }]) {
    assert.throws(() => mergeableSpawnOptions(/** @type {any} */ (options)), { code: 'KSM_USAGE' });
  }
});

test('address randomisation is off in the child only', { skip: noPersonality }, async () => {
  const [kept, off] = [
    await startChild(mergeableSpawnOptions({ level: 'seeds' })),
    await startChild(mergeableSpawnOptions({ level: 'identical' })),
  ];
  try {
    assert.equal(aslrIsOff(), false);
    assert.equal(await kept.ask('aslrIsOff'), false);
    assert.equal(await off.ask('aslrIsOff'), true);
  } finally {
    await kept.end();
    await off.end();
  }
});

test('the personality comes back when the spawn throws', { skip: noPersonality }, () => {
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

test('two processes of one layout have the same addresses', { skip: noPersonality }, async () => {
  const layout = mergeableSpawnOptions({ level: 'identical' });
  const pair = [await startChild(layout), await startChild(layout)];
  try {
    const heaps = pair.map(
      ({ pid }) =>
        readFileSync(`/proc/${pid}/maps`, 'utf8')
          .split('\n')
          .find((line) => line.endsWith('[heap]'))
          ?.split('-')[0],
    );
    assert.ok(heaps[0]);
    assert.equal(heaps[0], heaps[1]);
  } finally {
    for (const child of pair) await child.end();
  }
});

test('a launched process is marked before its program runs', { skip: noPrctl }, async () => {
  for (const level of /** @type {const} */ (['mark', 'seeds', 'identical'])) {
    const child = await startChild(mergeableSpawnOptions({ level }));
    try {
      assert.equal(await child.ask('getMemoryMerge'), true, level);
    } finally {
      await child.end();
    }
  }
});

test('settling collects garbage once, when the program says so or after a while', () => {
  const { execArgv, env } = mergeableSpawnOptions({ settleAfterMs: 50 });
  const program = `
    const alive = setTimeout(() => process.exit(3), 20_000);
    const { PerformanceObserver, constants } = require('node:perf_hooks');
    let major = 0;
    new PerformanceObserver((list) => {
      for (const { detail } of list.getEntries()) if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) major++;
      if (major >= 2) { console.log(process.listenerCount('ksm:settle')); process.exit(0); }
    }).observe({ entryTypes: ['gc'] });
    if (process.argv[1] === 'say') process.emit('ksm:settle');`;
  for (const how of ['say', 'wait']) {
    const run = spawnSync(process.execPath, [...execArgv, '-e', program, how], {
      env: { ...process.env, ...env },
      encoding: 'utf8',
    });
    assert.equal(run.status, 0, `${how}: ${run.stderr}`);
    assert.equal(run.stdout, '0\n');
  }
});

test('modules are read in one order until the program has settled', () => {
  const { execArgv, env } = mergeableSpawnOptions({ settleAfterMs: 10_000 });
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

const PROCESSES = 3;

/**
 * Anonymous memory of a few processes after scanning.
 * @param {import('../../ksm/layout.js').Level} level
 */
async function anonymousKib(level) {
  const children = [];
  try {
    for (let i = 0; i < PROCESSES; i++) {
      children.push(await startChild(mergeableSpawnOptions({ level, settleAfterMs: 0 })));
    }
    if (level !== 'off') await scan(4);
    return children.reduce((sum, { pid }) => sum + rollup(pid, 'Pss_Anon'), 0);
  } finally {
    for (const child of children) await child.end();
  }
}

test('off > mark > seeds > identical in memory', { skip: ksmdMissing || noPersonality }, () =>
  withKsmd(async () => {
    const [off, mark, seeds, identical] = [
      await anonymousKib('off'),
      await anonymousKib('mark'),
      await anonymousKib('seeds'),
      await anonymousKib('identical'),
    ];
    const said = `${off}, ${mark}, ${seeds}, ${identical} KiB`;
    assert.ok(off > mark && mark > seeds && seeds > identical, said);
  }),
);
