import test from 'node:test';
import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  ProcessWatch,
  isMergeable,
  ksmFigures,
  mergeableProcesses,
  processFigures,
} from '../../ksm/processes.js';
import { findKsmd, ksmdCpuMs } from '../../ksm/sysfs.js';
import { temporaryFolder, writeTree } from '../support/folders.js';

const MARKED = 'ksm_rmap_items 0\nksm_merging_pages 0\nksm_merge_any: yes\nksm_mergeable: yes\n';
const UNMARKED = 'ksm_rmap_items 0\nksm_merging_pages 0\nksm_merge_any: no\nksm_mergeable: no\n';
/** As on Linux 6.12, which does not report whether a process is marked. */
const OLD = 'ksm_rmap_items 0\nksm_zero_pages 0\nksm_merging_pages 0\nksm_process_profit 0\n';

/** Creates a folder like /proc. It is deleted after the test. */
function fakeProc() {
  const root = temporaryFolder();
  return {
    root,
    /** @param {number} pid @param {Record<string, string>} files */
    put: (pid, files) => writeTree(join(root, String(pid)), files),
    /** @param {number} pid */
    end: (pid) => rmSync(join(root, String(pid)), { recursive: true }),
  };
}

test('a mark is found in ksm_stat of new kernels, and in smaps of old ones', () => {
  const { root, put } = fakeProc();
  put(1, { ksm_stat: UNMARKED, smaps: 'VmFlags: rd wr mg\n' });
  put(2, { ksm_stat: MARKED });
  put(3, { ksm_stat: OLD, smaps: 'VmFlags: rd wr mr\nVmFlags: rd wr mr mg \n' });
  put(4, { ksm_stat: OLD, smaps: 'VmFlags: rd wr mr\n' });
  put(5, { smaps: 'VmFlags: mg\n' });
  const marked = [1, 2, 3, 4, 5, 6].map((pid) => isMergeable(pid, root));
  assert.deepEqual(marked, [false, true, true, false, true, false]);
});

test('figures that cannot be read are undefined', () => {
  const { root, put } = fakeProc();
  const stat =
    'ksm_rmap_items 900\nksm_zero_pages 3\nksm_merging_pages 600\nksm_process_profit -7\n';
  put(7, { comm: 'node\n', ksm_stat: stat, smaps_rollup: 'Pss: 4096 kB\nPss_Anon: 100 kB\n' });
  put(8, { comm: 'sshd\n', ksm_merging_pages: '5\n' });
  assert.deepEqual(processFigures(7, root), {
    pid: 7,
    name: 'node',
    pssKib: 4096,
    anonKib: 100,
    ksmKib: undefined,
    mergingPages: 600,
    rmapItems: 900,
    zeroPages: 3,
    profitBytes: -7,
    mergeable: true,
  });
  assert.equal(processFigures(8, root)?.mergingPages, 5);
  assert.equal(processFigures(8, root)?.pssKib, undefined);
  assert.equal(processFigures(9, root), undefined);
  assert.equal(ksmFigures(9, root).mergingPages, undefined);
  const pids = mergeableProcesses(root).map(({ pid }) => pid);
  assert.deepEqual(pids, [7]);
});

test('a process is reported once, also if it is marked late', () => {
  const { root, put, end } = fakeProc();
  const watch = new ProcessWatch(root);
  put(10, { ksm_stat: MARKED });
  put(11, { ksm_stat: UNMARKED });
  assert.deepEqual(watch.poll(), { started: [10], mergeable: 1 });
  assert.deepEqual(watch.poll(), { started: [], mergeable: 1 });
  put(11, { ksm_stat: MARKED });
  assert.deepEqual(watch.poll(), { started: [], mergeable: 1 }, 'its third poll is not due');
  assert.deepEqual(watch.poll(), { started: [11], mergeable: 2 });
  end(10);
  assert.deepEqual(watch.poll(), { started: [], mergeable: 1 });
  put(10, { ksm_stat: MARKED });
  assert.deepEqual(watch.poll(), { started: [10], mergeable: 2 }, 'another process');
});

test('a pid that another process has got between two polls is another process', () => {
  const { root, put } = fakeProc();
  const watch = new ProcessWatch(root);
  /** @param {number} pid @param {number} start @param {string} ksm_stat */
  const run = (pid, start, ksm_stat) => {
    const fields = ['S', ...Array(18).fill(0), start, 0];
    put(pid, { ksm_stat, stat: `${pid} (a) b) ${fields.join(' ')}\n` });
  };
  const setNewest = (/** @type {number} */ pid) =>
    writeFileSync(join(root, 'loadavg'), `0.00 0.00 0.00 1/100 ${pid}\n`);
  setNewest(500);
  run(10, 1, MARKED);
  run(11, 1, UNMARKED);
  for (let poll = 1; poll <= 4; poll++) watch.poll();
  run(10, 2, UNMARKED);
  run(11, 2, MARKED);
  setNewest(11); // the kernel has started over
  assert.deepEqual(watch.poll(), { started: [11], mergeable: 1 });
  run(10, 2, MARKED);
  assert.deepEqual(watch.poll(), { started: [10], mergeable: 2 });
});

test('a process without a mark is still polled after a long time', () => {
  const { root, put } = fakeProc();
  const watch = new ProcessWatch(root);
  put(12, { ksm_stat: UNMARKED });
  for (let poll = 1; poll <= 64; poll++) watch.poll();
  put(12, { ksm_stat: MARKED });
  let polls = 1;
  while (watch.poll().started.length === 0) polls++;
  assert.equal(polls, 64);
});

test('findKsmd() finds the kernel thread, not a program of the same name', () => {
  const { root, put } = fakeProc();
  const rest = ' 2 0 0 0 -1 2129984 0 0 0 0 30 12 0 0 25 5 1 0 38\n';
  put(50, { stat: `50 (ksmd) S${rest.replace(' 2 ', ' 1 ')}` });
  assert.equal(findKsmd(root), undefined);
  put(36, { stat: `36 (ksmd) S${rest}` });
  assert.equal(findKsmd(root), 36);
  assert.equal(ksmdCpuMs(36, root), 420, 'utime and stime, in hundredths of a second');
  put(36, { schedstat: '123456789 0 5\n' });
  assert.equal(ksmdCpuMs(36, root), 123.456789);
  assert.equal(ksmdCpuMs(99, root), undefined);
});
