/** Probes the KSM features by calls, not versions: distributions backport features, and sandboxes forbid them. */
import { accessSync, constants, existsSync } from 'node:fs';
import os from 'node:os';
import { KsmError } from './errors.js';
import { HOW_TO_BUILD, errnoName, tryNative } from './native.js';
import { SYSFS } from './sysfs.js';

/** @typedef {ReturnType<typeof probeFeatures>} Features */

const ADDON_IS_MISSING = `the addon ksm.node is not built: ${HOW_TO_BUILD}`;

/** Probes all features. @param {{sysfs?: string, addon?: import('./native.js').Native | null}} [options] for tests */
export function probeFeatures({ sysfs: root = SYSFS, addon = tryNative() ?? null } = {}) {
  /** The missing features, and why. @type {{name: string, reason: string}[]} */
  const missing = [];
  /** @param {string} name @param {string} reason */
  const lacks = (name, reason) => {
    missing.push({ name, reason });
    return false;
  };
  /** @param {string} name @param {number} result a -errno @param {string} call */
  const answers = (name, result, call) =>
    result >= 0 || lacks(name, `${call} gave ${errnoName(result)}`);

  const sysfs = existsSync(`${root}/run`) || lacks('CONFIG_KSM', `${root} does not exist`);
  const writable =
    sysfs &&
    (mayWrite(`${root}/run`) || lacks('permission', `${root}/run can only be written by root`));
  // With an empty range, the kernel only checks the advice.
  const madvise = addon
    ? answers('CONFIG_KSM', addon.adviseRange(0, 0, 1), 'madvise(MADV_MERGEABLE)')
    : lacks('addon', ADDON_IS_MISSING);
  const prctl =
    addon !== null && answers('linux-6.4', addon.memoryMerge(-1), 'prctl(PR_GET_MEMORY_MERGE)');
  const personality =
    addon !== null && answers('personality', addon.personality(GET_PERSONALITY), 'personality(2)');
  const processStat =
    existsSync('/proc/self/ksm_stat') || lacks('linux-6.1', '/proc/self/ksm_stat does not exist');
  return {
    kernel: os.release(),
    madvise, // MADV_MERGEABLE works (CONFIG_KSM)
    prctl, // PR_SET_MEMORY_MERGE works (Linux 6.4)
    personality, // personality(2) works
    sysfs, // /sys/kernel/mm/ksm exists
    writable, // this user may change ksmd's settings
    processStat, // /proc/PID/ksm_stat exists (Linux 6.1)
    missing,
  };
}

/** personality(2): returns the current value without a change. */
export const GET_PERSONALITY = 0xffffffff;

/** @param {string} path */
function mayWrite(path) {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Makes the error for a call that the kernel refused.
 * @param {string} what the failed action, such as 'This memory can\'t be marked'
 * @param {string[]} missing names from Features.missing
 * @param {string} why
 */
export function unsupported(what, missing, why) {
  return new KsmError('KSM_UNSUPPORTED', `${what}: ${why}.`, { missing });
}
