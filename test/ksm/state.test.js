import test from 'node:test';
import assert from 'node:assert/strict';
import { existsSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ControllerState } from '../../ksm/state.js';
import { readSettings } from '../../ksm/sysfs.js';
import { temporaryFolder } from '../support/folders.js';
import { fakeSysfs } from './fake.js';

/** @param {string} sysfs @param {string} name @param {string} value */
const set = (sysfs, name, value) => writeFileSync(join(sysfs, name), `${value}\n`);

/**
 * Makes the state of a controller that was killed.
 * @param {Record<string, string>[]} changes of the settings, which it has made one after the other
 */
function killedAfter(...changes) {
  const [sysfs, dir] = [fakeSysfs(), temporaryFolder()];
  const found = readSettings(sysfs);
  const killed = ControllerState.open(dir, sysfs);
  killed.begin();
  for (const change of changes) killed.apply(change);
  killed.close(); // as the kernel does when a process is killed
  return { sysfs, dir, found };
}

/** Lets the next controller restore the settings. @param {{dir: string, sysfs: string}} where */
function recover({ dir, sysfs }) {
  const next = ControllerState.open(dir, sysfs);
  try {
    return next.recover();
  } finally {
    next.close();
  }
}

test('after a controller was killed, the next one restores the settings', () => {
  const killed = killedAfter({ run: '1', pages_to_scan: '5000' });
  assert.deepEqual(recover(killed), { restored: { pages_to_scan: '100', run: '0' }, left: [] });
  assert.deepEqual(readSettings(killed.sysfs), killed.found);
  assert.equal(recover(killed), undefined, 'once');
});

test('a setting that another program has changed since is not restored', () => {
  const killed = killedAfter({ run: '1', pages_to_scan: '5000' });
  set(killed.sysfs, 'pages_to_scan', '42');
  assert.deepEqual(recover(killed), { restored: { run: '0' }, left: ['pages_to_scan'] });
  assert.equal(readSettings(killed.sysfs).pages_to_scan, '42');
});

test('after a kill between saving and writing, the older value is restored, too', () => {
  const killed = killedAfter({ pages_to_scan: '5000' }, { pages_to_scan: '300' });
  set(killed.sysfs, 'pages_to_scan', '5000'); // as if the second write had not happened
  recover(killed);
  assert.equal(readSettings(killed.sysfs).pages_to_scan, '100');
});

test('after a reboot, nothing is restored', () => {
  const { sysfs, dir } = killedAfter({ pages_to_scan: '5000' });
  const file = join(dir, 'state.json');
  writeFileSync(file, readFileSync(file, 'utf8').replace(/"boot":"[^"]*"/, '"boot":"another"'));
  assert.equal(recover({ dir, sysfs }), undefined);
  assert.equal(readSettings(sysfs).pages_to_scan, '5000');
  assert.equal(existsSync(file), false);
});

test('a damaged state file is ignored', () => {
  const dir = temporaryFolder();
  for (const text of ['', '{', 'null', '[]', '{"version":99}', '{"version":1}']) {
    writeFileSync(join(dir, 'state.json'), text);
    assert.equal(recover({ dir, sysfs: fakeSysfs() }), undefined, text);
  }
});

test('a second controller cannot take the lock', () => {
  const dir = temporaryFolder();
  const sysfs = fakeSysfs();
  const first = ControllerState.open(dir, sysfs);
  assert.throws(() => ControllerState.open(dir, sysfs), {
    code: 'KSM_LOCKED',
    message: `Another controller drives ksmd: ${dir}/lock is locked. Stop it first.`,
  });
  first.close();
  ControllerState.open(dir, sysfs).close();
});

test('foreignChanges() reports changes of other programs to applied settings', () => {
  const sysfs = fakeSysfs();
  const state = ControllerState.open(temporaryFolder(), sysfs);
  state.begin();
  state.apply({ run: '1', pages_to_scan: '5000' });
  set(sysfs, 'smart_scan', '0');
  assert.deepEqual(state.foreignChanges(), [], 'a setting that was not applied');
  set(sysfs, 'run', '2');
  assert.deepEqual(state.foreignChanges(), [{ name: 'run', expected: '1', present: '2' }]);
  state.close();
});

test('a setting that the kernel refuses is no change of another program, and the others are restored', () => {
  const sysfs = fakeSysfs();
  rmSync(join(sysfs, 'smart_scan'));
  symlinkSync('/proc/version', join(sysfs, 'smart_scan')); // a file that takes no write
  const state = ControllerState.open(temporaryFolder(), sysfs);
  state.begin();
  const settings = { use_zero_pages: '1', smart_scan: '0', run: '1' };
  assert.throws(() => state.apply(settings), { code: /^KSM_(SETTING|PERMISSION)$/ });
  assert.deepEqual(state.foreignChanges(), []);
  assert.deepEqual(state.restore(), { restored: { use_zero_pages: '0' }, left: [] });
  state.close();
});
