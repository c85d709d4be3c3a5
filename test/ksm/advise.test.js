import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { adviseMergeable, getMemoryMerge } from '../../ksm/advise.js';
import { probeFeatures } from '../../ksm/features.js';
import { parseMaps } from '../../ksm/proc.js';
import { isMergeable } from '../../ksm/processes.js';
import { startChild } from './children.js';
import { until } from '../support/tv.js';
import { ksmdTests, rollup, scan, scanUntil } from './ksmd.js';

const features = probeFeatures();
const noKsm = features.madvise ? false : 'needs a kernel with KSM';
const noPrctl = features.prctl ? false : 'needs Linux 6.4 with KSM';
const HELD_KIB = 8192;

const testKsmd = ksmdTests();
testKsmd('marked pages merge, a write splits them, and the data stay correct', async (t) => {
  const [bystander, ...pair] = await Promise.all([1, 2, 3].map(() => startChild(t)));
  await bystander.ask('advise');
  await scan(3);
  await bystander.end();
  assert.equal(rollup(pair[0].pid, 'KSM'), 0, 'not marked, not merged');
  // Not PSS: it changes whenever another Node.js process starts or ends, as they share the program file.
  const anonKib = () => rollup(pair[0].pid, 'Pss_Anon') + rollup(pair[1].pid, 'Pss_Anon');
  const before = anonKib();
  for (const child of pair) {
    const { mappings, bytes, refused } = await child.ask('advise');
    assert.ok(mappings > 10 && bytes > HELD_KIB * 1024, `${mappings} mappings, ${bytes} bytes`);
    assert.equal(refused, 0);
  }
  const merged = () => pair.every((child) => rollup(child.pid, 'KSM') >= HELD_KIB);
  await scanUntil(() => merged() && before - anonKib() > HELD_KIB * 0.9);
  for (const child of pair) assert.equal(await child.ask('damaged'), 0);

  const mergedKib = rollup(pair[0].pid, 'KSM');
  await pair[0].ask('write', { page: 0, value: 77 });
  assert.ok(rollup(pair[0].pid, 'KSM') < mergedKib, 'the page is split');
  assert.equal(await pair[0].ask('damaged', { first: 77 }), 0);
  assert.equal(await pair[1].ask('damaged'), 0, 'the other process is unchanged');

  assert.equal(await pair[0].ask('unmerge'), 0);
  assert.equal(rollup(pair[0].pid, 'KSM'), 0, 'unmerge splits every page');
  assert.equal(await pair[0].ask('damaged', { first: 77 }), 0);
});

test('prctl marks a whole process, and removes the mark', { skip: noPrctl }, async (t) => {
  const child = await startChild(t);
  assert.equal(await child.ask('getMemoryMerge'), false);
  assert.equal(isMergeable(child.pid), false);
  await child.ask('setMemoryMerge', { on: true });
  assert.equal(await child.ask('getMemoryMerge'), true);
  assert.equal(isMergeable(child.pid), true);
  assert.equal(getMemoryMerge(), false, 'a child does not mark its parent');
  await child.ask('unmerge');
  assert.equal(await child.ask('getMemoryMerge'), false);
  assert.equal(isMergeable(child.pid), false);
});

test('an unmapped range is refused with a reason', { skip: noKsm }, () => {
  const gone = parseMaps('10000-11000 rw-p 00000000 00:00 0 \n'); // below vm.mmap_min_addr
  const { mappings, refused } = adviseMergeable(gone);
  assert.equal(mappings, 0);
  assert.equal(refused.length, 1);
  assert.equal(refused[0].errno, 'ENOMEM');
  assert.match(refused[0].reason, /unmapped/);
});

test('a process that has grown is marked again', { skip: noKsm }, async (t) => {
  const bytes = 64 * 1024 * 1024;
  const child = await startChild(t);
  /** Size of the marked mappings (VmFlags mg). */
  const markedKib = () => {
    const smaps = readFileSync(`/proc/${child.pid}/smaps`, 'latin1');
    const sizes = smaps.matchAll(/^Size: +(\d+) kB(?=(?:\n(?!Size:).*)*?\nVmFlags:.* mg\b)/gm);
    return [...sizes].reduce((sum, [, kib]) => sum + Number(kib), 0);
  };
  await child.ask('keepMarked');
  const before = markedKib();
  await child.ask('grow', { bytes });
  await until(() => markedKib() - before >= bytes / 1024, 'the new memory to be marked');
});
