/** Helpers for tests with the real ksmd, one at a time by the controller's lock. The settings are always restored. */
import { accessSync, constants, readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { codeOf } from '../../ksm/errors.js';
import { sumSmaps } from '../../ksm/proc.js';
import { ControllerState, STATE_DIR } from '../../ksm/state.js';
import { SYSFS, readCounters, readSettings, writeSettings } from '../../ksm/sysfs.js';
import { until } from '../support/tv.js';

/** Why tests that need ksmd cannot run; false where they can. For a test's `skip`. */
export const ksmdMissing = (() => {
  try {
    accessSync(`${SYSFS}/run`, constants.W_OK);
  } catch {
    return 'needs a kernel with KSM, and root';
  }
  try {
    const lock = ControllerState.open(STATE_DIR, SYSFS);
    lock.recover(); // after a killed controller
    const { run } = readSettings();
    lock.close();
    return run === '1' ? 'ksmd is running without a controller' : false;
  } catch {
    return false; // another test or a benchmark has the lock: lockKsmd() waits for it
  }
})();

const LOCK_TIMEOUT_MS = 180_000;

/** Waits for the lock: flock() has no event. @returns {Promise<ControllerState>} */
function lockKsmd() {
  const tryOpen = () => {
    try {
      return ControllerState.open(STATE_DIR, SYSFS);
    } catch (error) {
      if (codeOf(error) !== 'KSM_LOCKED') throw error;
      return undefined;
    }
  };
  return until(tryOpen, 'the lock of the controller', LOCK_TIMEOUT_MS);
}

const FAST = Object.freeze({
  advisor_mode: 'none',
  smart_scan: '0',
  use_zero_pages: '0',
  pages_to_scan: '20000',
  sleep_millisecs: '20',
});

/**
 * Makes a function like test(), whose tests have the lock. After each, all merged pages are split and the settings are
 * restored.
 * @param {string | false} [missing] why they cannot run
 * @returns {(title: string, run: (t: import('node:test').TestContext) => Promise<unknown>) => void}
 */
export const ksmdTests = (missing) => (title, run) =>
  void test(title, { skip: ksmdMissing || missing }, async (t) => {
    const lock = await lockKsmd();
    lock.recover();
    const found = readSettings();
    const restore = () => {
      writeFileSync(`${SYSFS}/run`, '2'); // splits the merged pages
      writeSettings(found);
    };
    process.once('exit', restore);
    try {
      await run(t);
    } finally {
      process.removeListener('exit', restore);
      restore();
      lock.close();
    }
  });

const SCAN_TIMEOUT_MS = 60_000;

/** Lets ksmd scan until a condition holds, then stops it. Merged pages stay merged. @param {() => boolean} done */
export async function scanUntil(done) {
  writeSettings({ ...FAST, run: '1' });
  try {
    await until(done, 'enough scanning', SCAN_TIMEOUT_MS);
  } finally {
    writeFileSync(`${SYSFS}/run`, '0');
  }
}

/** Lets ksmd make whole passes, which it counts only while a process is marked. @param {number} passes */
export function scan(passes) {
  const first = readCounters().full_scans;
  // One more, because the first counted pass may have been half done.
  return scanUntil(() => readCounters().full_scans > first + passes);
}

/** Reads a field of smaps_rollup. @param {number} pid @param {string} field @returns {number} KiB */
export const rollup = (pid, field) =>
  sumSmaps(readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1'))[field];
