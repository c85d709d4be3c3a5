import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { isPrivateAnonymous, parseMaps, parsePressure, sumSmaps } from '../../ksm/proc.js';

/** @param {string} name */
const fixture = (name) => readFileSync(new URL(`fixtures/${name}`, import.meta.url), 'latin1');

test('unusual lines are parsed', () => {
  const maps = parseMaps(fixture('odd.maps'));
  const named = (/** @type {string} */ name) => maps.filter((mapping) => mapping.name === name);
  const chosen = maps.filter(isPrivateAnonymous).map(({ name }) => name);
  assert.deepEqual(chosen, ['', '[heap]', '[anon:v8]', '', '[stack:4711]', '[stack]']);
  assert.equal(named('/memfd:pitv-mailbox')[0].deleted, true);
  assert.equal(named('/memfd:pitv-mailbox')[0].shared, true);
  assert.equal(named('/srv/a file with spaces.node')[0].inode, 1180673);
  assert.equal(named('/anon_hugepage')[0].deleted, true, 'hugetlb shows as a deleted file');
  assert.equal(named('[vsyscall]')[0].bytes, 4096);
  assert.equal(named('[vdso]')[0].bytes, 8192);
});

test('a reserved mapping is chosen, so that memory committed later has the mark', () => {
  const [mapping] = parseMaps('7f6f5c021000-7f6f60000000 ---p 00000000 00:00 0 ');
  assert.equal(isPrivateAnonymous(mapping), true);
  assert.equal(mapping.bytes, 0x3fdf000);
});

test('shared anonymous memory, kernel pages and private files are not chosen', () => {
  for (const line of [
    '7f1c40000000-7f1c40001000 rw-s 00000000 00:01 2052 /dev/zero (deleted)',
    '7f1c40000000-7f1c40001000 rw-s 00000000 00:00 0 [anon_shmem:x]',
    '7fff5d5f0000-7fff5d5f4000 r--p 00000000 00:00 0 [vvar]',
    '0563e000-0565d000 rw-p 0523d000 fd:00 263512 /usr/bin/node',
  ]) {
    assert.deepEqual(parseMaps(line).map(isPrivateAnonymous), [false], line);
  }
});

test('lines of another form are ignored', () => {
  for (const line of [
    '',
    'Rss:                 100 kB',
    'zz-ff r--p 00000000 00:00 0',
    '2000-1000 rw-p 00000000 00:00 0',
    '1000-2000 rw-p 00000000 00:00',
  ]) {
    assert.deepEqual(parseMaps(line), [], line);
  }
});

test('32-bit addresses are parsed', () => {
  const [code, heap] = parseMaps(fixture('arm32.maps'));
  assert.deepEqual([code.start, code.end], [0x10000, 0x4f3e000]);
  assert.equal(heap.bytes, 0x2a1000);
  assert.equal(parseMaps(fixture('arm32.maps')).filter(isPrivateAnonymous).length, 4);
});

test('the fields of smaps are summed up', () => {
  const sums = sumSmaps(fixture('two.smaps'));
  assert.equal(sums.Pss, 1112);
  assert.equal(sums.KSM, 1016);
  assert.equal(sums.VmFlags, undefined);
});

test('memory pressure is parsed', () => {
  const psi = 'some avg10=12.34 avg60=1.00 avg300=0.00 total=9\nfull avg10=1.00 avg60=0.00\n';
  assert.equal(parsePressure(psi), 12.34);
  assert.equal(parsePressure(''), 0, 'a kernel without PSI');
});
