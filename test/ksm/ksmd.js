/**
 * For tests on the machine's real ksmd: one at a time on this machine, by the lock that a controller
 * takes, and with the settings as they were afterwards, whatever happened.
 */
import { accessSync, constants, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { codeOf } from '../../ksm/errors.js';
import { ControllerState, STATE_DIR } from '../../ksm/state.js';
import { SYSFS, readCounters, readSettings, writeSettings } from '../../ksm/sysfs.js';

/** Why tests that need ksmd can't run here; false where they can. For a test's `skip`. */
export const ksmdMissing = (() => {
  try {
    accessSync(`${SYSFS}/run`, constants.W_OK);
  } catch {
    return 'needs a kernel with KSM, and root';
  }
  try {
    const lock = ControllerState.open(STATE_DIR, SYSFS);
    lock.recover(); // a controller that was killed
    const { run } = readSettings();
    lock.close();
    return run === '1' ? 'somebody who takes no lock has ksmd running' : false;
  } catch {
    return false; // one of these tests has it, or the harness: they are waited for
  }
})();

const LOCK_TIMEOUT_MS = 180_000;

/** @returns {Promise<ControllerState>} */
async function locked() {
  const giveUpAt = performance.now() + LOCK_TIMEOUT_MS;
  for (;;) {
    try {
      return ControllerState.open(STATE_DIR, SYSFS);
    } catch (error) {
      if (codeOf(error) !== 'KSM_LOCKED' || performance.now() > giveUpAt) throw error;
      await sleep(50); // flock has no event to wait for
    }
  }
}

const FAST = Object.freeze({
  advisor_mode: 'none',
  smart_scan: '0',
  use_zero_pages: '0',
  pages_to_scan: '4000',
  sleep_millisecs: '20',
});

/**
 * @template T
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withKsmd(work) {
  const lock = await locked();
  lock.recover();
  const found = readSettings();
  const putBack = () => {
    writeFileSync(`${SYSFS}/run`, '2'); // nothing merged by a test stays
    writeSettings(found);
  };
  process.once('exit', putBack);
  try {
    return await work();
  } finally {
    process.removeListener('exit', putBack);
    putBack();
    lock.close();
  }
}

const SCAN_TIMEOUT_MS = 60_000;

/**
 * Lets ksmd scan until something has come about, then stops it; what it merged stays merged.
 * @param {() => boolean} done
 */
export async function scanUntil(done) {
  writeSettings({ ...FAST, run: '1' });
  const giveUpAt = performance.now() + SCAN_TIMEOUT_MS;
  try {
    while (!done()) {
      if (performance.now() > giveUpAt) throw new Error('A minute of scanning was not enough.');
      await sleep(20);
    }
  } finally {
    writeFileSync(`${SYSFS}/run`, '0');
  }
}

/**
 * Lets ksmd make so many whole passes. Something must be marked: with nothing to scan there are none.
 * @param {number} passes
 */
export function scan(passes) {
  const first = readCounters().full_scans;
  // The first pass counted may have been half done.
  return scanUntil(() => readCounters().full_scans > first + passes);
}

/** @param {number} pid @param {string} field of smaps_rollup @returns {number} KiB */
export function rollup(pid, field) {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1');
  return Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? NaN);
}
