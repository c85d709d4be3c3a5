/**
 * What this kernel and this process can do about KSM, found out by asking and not by version
 * numbers: distributions carry features back, and sandboxes take them away.
 */
import { accessSync, constants, existsSync } from 'node:fs';
import os from 'node:os';
import { KsmError } from './errors.js';
import { HOW_TO_BUILD, errnoName, nativeIfThere } from './native.js';
import { SYSFS } from './sysfs.js';

/**
 * @typedef {object} Features
 * @property {string} kernel e.g. '6.12.107'
 * @property {boolean} madvise MADV_MERGEABLE works (CONFIG_KSM)
 * @property {boolean} prctl PR_SET_MEMORY_MERGE works (Linux 6.4)
 * @property {boolean} personality ADDR_NO_RANDOMIZE can be asked about
 * @property {boolean} sysfs /sys/kernel/mm/ksm is there
 * @property {boolean} writable this user may change ksmd's settings
 * @property {boolean} processStat /proc/PID/ksm_stat is there (Linux 6.1)
 * @property {{name: string, reason: string}[]} missing what is not there, and why
 */

const ADDON_IS_MISSING = `the addon ksm.node is not built: ${HOW_TO_BUILD}`;

/**
 * @param {{sysfs?: string, addon?: import('./native.js').Native | null}} [options] for tests; null: no addon
 * @returns {Features}
 */
export function probeFeatures({ sysfs: root = SYSFS, addon = nativeIfThere() ?? null } = {}) {
  /** @type {Features['missing']} */
  const missing = [];
  /** @param {string} name @param {string} reason */
  const lacks = (name, reason) => {
    missing.push({ name, reason });
    return false;
  };

  const sysfs = existsSync(`${root}/run`) || lacks('CONFIG_KSM', `${root} is not there`);
  const writable = sysfs && mayWrite(`${root}/run`, lacks);
  // An empty range: the kernel checks the advice and does nothing.
  const madvise = addon
    ? answers('CONFIG_KSM', addon.adviseRange(0, 0, 1), 'madvise(MADV_MERGEABLE)', lacks)
    : lacks('addon', ADDON_IS_MISSING);
  const prctl =
    addon !== null &&
    answers('linux-6.4', addon.memoryMerge(-1), 'prctl(PR_GET_MEMORY_MERGE)', lacks);
  const personality =
    addon !== null &&
    answers('personality', addon.personality(ASK_PERSONALITY), 'personality(2)', lacks);
  const processStat =
    existsSync('/proc/self/ksm_stat') || lacks('linux-6.1', '/proc/self/ksm_stat is not there');
  return {
    kernel: os.release(),
    madvise,
    prctl,
    personality,
    sysfs,
    writable,
    processStat,
    missing,
  };
}

/** personality(2): asks without changing. */
export const ASK_PERSONALITY = 0xffffffff;

/**
 * @param {string} name @param {number} result @param {string} call
 * @param {(name: string, reason: string) => boolean} lacks
 */
function answers(name, result, call, lacks) {
  return result >= 0 || lacks(name, `${call} gave ${errnoName(result)}`);
}

/** @param {string} path @param {(name: string, reason: string) => boolean} lacks */
function mayWrite(path, lacks) {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return lacks('permission', `${path} can only be written by root`);
  }
}

/**
 * The error for a call that the kernel refused, in words.
 * @param {string} what e.g. 'This memory can\'t be marked'
 * @param {string[]} missing names from Features.missing
 * @param {string} why
 */
export function unsupported(what, missing, why) {
  return new KsmError('KSM_UNSUPPORTED', `${what}: ${why}.`, { missing });
}
