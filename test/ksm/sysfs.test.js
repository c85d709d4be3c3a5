import test from 'node:test';
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  balance,
  kernelWordBits,
  readCounters,
  readSettings,
  writeSettings,
} from '../../ksm/sysfs.js';
import { fakeSysfs } from './fake.js';
import { temporaryFolder } from '../support/folders.js';

const COUNTED = {
  full_scans: 9,
  pages_shared: 1000,
  pages_sharing: 5000,
  pages_unshared: 3000,
  pages_volatile: 1000,
  pages_scanned: undefined,
  pages_skipped: undefined,
  ksm_zero_pages: 200,
  general_profit: undefined,
};

test('the metadata of a 32-bit kernel is half that of a 64-bit one, and the limit is twice', () => {
  for (const [wordBits, metadataBytes, ratioBound] of /** @type {const} */ ([
    [64, 640_000, 64],
    [32, 320_000, 128],
  ])) {
    const worth = balance(COUNTED, { wordBits });
    assert.equal(worth.savedBytes, 5200 * 4096);
    assert.equal(worth.rmapItems, 10_000);
    assert.equal(worth.metadataBytes, metadataBytes);
    assert.equal(worth.profitBytes, 5200 * 4096 - metadataBytes);
    assert.equal(worth.ratioBound, ratioBound);
  }
});

test('the word size is that of the kernel', () => {
  for (const machine of [
    'x86_64',
    'aarch64',
    'riscv64',
    'ppc64le',
    's390x',
    'armv7l',
    'armv6l',
    'i686',
  ]) {
    assert.equal(kernelWordBits(machine), /^(armv|i6)/.test(machine) ? 32 : 64, machine);
  }
});

test('without merged pages the ratio is Infinity, or 0 if none is tracked; the profit of the kernel counts', () => {
  const nothing = { ...COUNTED, pages_sharing: 0, ksm_zero_pages: undefined };
  assert.equal(balance(nothing).ratio, Infinity);
  const idle = { ...nothing, pages_shared: 0, pages_unshared: 0, pages_volatile: 0 };
  assert.equal(balance(idle).ratio, 0);
  assert.equal(balance({ ...COUNTED, general_profit: -7 }).profitBytes, -7);
});

test('settings that a kernel lacks are not read and not written', () => {
  const sysfs = fakeSysfs({ smart_scan: undefined, advisor_mode: undefined });
  assert.equal(readSettings(sysfs).smart_scan, undefined);
  assert.deepEqual(writeSettings({ smart_scan: '1', run: '1' }, sysfs), { run: '1' });
  assert.equal(readCounters(sysfs).general_profit, undefined);
});

test('the advisor is read from its brackets, and is off while pages_to_scan is written', () => {
  const sysfs = fakeSysfs({ advisor_mode: 'none [scan-time]\n' });
  assert.equal(readSettings(sysfs).advisor_mode, 'scan-time');
  writeSettings({ pages_to_scan: '500' }, sysfs);
  assert.equal(readSettings(sysfs).pages_to_scan, '500');
  assert.equal(readSettings(sysfs).advisor_mode, 'scan-time', 'restored');
});

test('a folder without KSM and an unknown setting are errors', () => {
  const empty = temporaryFolder();
  assert.throws(() => readSettings(empty), { code: 'KSM_UNSUPPORTED', missing: ['CONFIG_KSM'] });
  assert.throws(() => writeSettings({ full_scans: '0' }, fakeSysfs()), { code: 'KSM_SETTING' });
});

test('only settings that differ are written', () => {
  const sysfs = fakeSysfs();
  assert.deepEqual(writeSettings(readSettings(sysfs), sysfs), {});
  writeFileSync(join(sysfs, 'run'), '1\n');
  assert.deepEqual(writeSettings({ run: '0', pages_to_scan: '100' }, sysfs), { run: '0' });
  assert.equal(readFileSync(join(sysfs, 'run'), 'utf8'), '0');
});
