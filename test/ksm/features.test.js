import test from 'node:test';
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { probeFeatures } from '../../ksm/features.js';
import { asNobody, nobodyMissing } from '../support/ordinary-user.js';
import { temporaryFolder } from '../support/folders.js';

const EINVAL = -22;
const EPERM = -1;

/** Makes an addon whose system calls all return the same. @param {number} result */
const addonReturning = (result) => ({
  adviseRange: () => result,
  memoryMerge: () => result,
  personality: () => result,
  tryLock: () => result,
  trimHeap: () => false,
  pageBytes: 4096,
});

/** @param {ReturnType<typeof probeFeatures>} features */
const names = ({ missing }) => missing.map(({ name }) => name);

test('a kernel without CONFIG_KSM lacks the calls and the folder', () => {
  const features = probeFeatures({ sysfs: temporaryFolder(), addon: addonReturning(EINVAL) });
  assert.equal(features.sysfs || features.madvise || features.prctl || features.writable, false);
  assert.ok(names(features).includes('CONFIG_KSM'));
  assert.ok(names(features).includes('linux-6.4'));
  assert.match(features.missing.map(({ reason }) => reason).join('; '), /EINVAL/);
});

test('a sandbox that forbids personality(2) is reported', () => {
  const features = probeFeatures({ addon: { ...addonReturning(0), personality: () => EPERM } });
  assert.equal(features.personality, false);
  assert.ok(
    features.missing.some(({ name, reason }) => name === 'personality' && /EPERM/.test(reason)),
  );
});

test('without the addon, the other features are still probed', () => {
  const features = probeFeatures({ addon: null });
  assert.equal(features.madvise, false);
  assert.ok(names(features).includes('addon'));
});

test('for an ordinary user, writing needs root, and marking does not', { skip: nobodyMissing }, () => {
  const url = new URL('../../ksm/features.js', import.meta.url).href;
  const script = `import(${JSON.stringify(url)}).then(({ probeFeatures }) =>
  console.log(JSON.stringify(probeFeatures())))`;
  const run = spawnSync(process.execPath, ['-e', script], { ...asNobody, encoding: 'utf8' });
  const features = JSON.parse(run.stdout);
  assert.equal(features.writable, false);
  if (features.sysfs) {
    assert.ok(names(features).includes('permission'));
    assert.equal(features.madvise, true, 'marking its own memory needs no privilege');
  }
});
