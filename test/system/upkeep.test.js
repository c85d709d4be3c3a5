import assert from 'node:assert/strict';
import test from 'node:test';
import { nodeSupport, packagesAge } from '../../app/system/upkeep.js';

const own = { isShared: false, system: 'Debian GNU/Linux 13 (trixie)' };

test('a line of Node.js is supported up to its last day', () => {
  const supported = { line: 24, end: '2028-04-30', hasEnded: false, isDebians: false };
  assert.deepEqual(nodeSupport('24.22.0', own, new Date('2028-04-30T23:00Z')), supported);
  const ended = { ...supported, hasEnded: true };
  assert.deepEqual(nodeSupport('24.22.0', own, new Date('2028-05-01T00:00Z')), ended);
  assert.equal(nodeSupport('99.0.0', own), null);
});

test("Debian's Node.js is recognised, one of others on Debian is not", () => {
  const isDebians = (/** @type {Parameters<typeof nodeSupport>[1]} */ machine) =>
    nodeSupport('20.19.2', machine)?.isDebians;
  assert.equal(isDebians({ ...own, isShared: true }), true);
  assert.equal(isDebians(own), false);
  assert.equal(isDebians({ isShared: true, system: 'Arch Linux' }), false);
  assert.equal(isDebians({ isShared: true }), false);
});

test('an update is due after 45 days, by the newest list', () => {
  const suites = ['2026-08-09', '2026-11-26', '2026-11-21'].map((date) => ({ date }));
  const after = (/** @type {string} */ date) => packagesAge(suites, new Date(date));
  assert.deepEqual(after('2027-01-10T23:59Z'), { days: 45, isDue: false });
  assert.deepEqual(after('2027-01-11T00:00Z'), { days: 46, isDue: true });
  assert.deepEqual(after('1970-01-01T00:00Z'), { days: 0, isDue: false });
  assert.equal(packagesAge([]), null);
  assert.equal(packagesAge([{ date: '' }]), null);
});
