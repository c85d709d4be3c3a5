/**
 * Reads and writes ksmd's settings, and reads its counters; see Documentation/admin-guide/mm/ksm.rst and
 * Documentation/ABI/testing/sysfs-kernel-mm-ksm in the kernel's sources. Kernels have different files; values without a
 * file are omitted.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { KsmError, codeOf } from './errors.js';
import { listPids, readText } from './proc.js';

export const SYSFS = '/sys/kernel/mm/ksm';

/** The settings that this package may change, in the order in which writeSettings() writes them: ksmd starts last. */
export const SETTINGS = Object.freeze([
  'max_page_sharing',
  'use_zero_pages',
  'smart_scan',
  'sleep_millisecs',
  'pages_to_scan',
  'advisor_mode',
  'run',
]);

/** @typedef {Record<string, string>} Settings setting -> what the file holds, e.g. {run: '0'} */

/** @typedef {ReturnType<typeof readCounters>} Counters of sysfs; undefined where this kernel lacks the file */

/** @param {string} root @param {string} name @returns {string | undefined} */
function readSetting(root, name) {
  try {
    const text = readFileSync(`${root}/${name}`, 'latin1').trim();
    return /\[([\w-]+)\]/.exec(text)?.[1] ?? text; // '[none] scan-time': the selected one
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Reads the settings that this kernel has. @param {string} [root] @throws {KsmError} KSM_UNSUPPORTED */
export function readSettings(root = SYSFS) {
  /** @type {Settings} */
  const settings = {};
  for (const name of SETTINGS) {
    const value = readSetting(root, name);
    if (value !== undefined) settings[name] = value;
  }
  if (settings.run === undefined) {
    throw new KsmError('KSM_UNSUPPORTED', `This kernel has no KSM: ${root}/run does not exist.`, {
      missing: ['CONFIG_KSM'],
    });
  }
  return settings;
}

/**
 * Writes the settings that differ from the present ones.
 * @param {Settings} wanted @param {string} [root]
 * @returns {Settings} the changed settings
 * @throws {KsmError} KSM_PERMISSION, KSM_SETTING, KSM_UNSUPPORTED
 */
export function writeSettings(wanted, root = SYSFS) {
  for (const name of Object.keys(wanted)) {
    if (!SETTINGS.includes(name)) throw new KsmError('KSM_SETTING', `ksmd has no setting ${name}.`);
  }
  const present = readSettings(root);
  const advisor = present.advisor_mode;
  const changes = (/** @type {string} */ name) =>
    wanted[name] !== undefined && present[name] !== undefined && wanted[name] !== present[name];
  /** @type {Settings} */
  const written = {};
  if (changes('pages_to_scan') && advisor !== undefined && advisor !== 'none') {
    // The kernel refuses a new pages_to_scan while an advisor is on.
    writeSetting(root, 'advisor_mode', 'none');
    present.advisor_mode = 'none';
    wanted = { advisor_mode: advisor, ...wanted };
  }
  if (changes('max_page_sharing') && Number(readSetting(root, 'pages_shared')) > 0) {
    // The kernel accepts it only while nothing is merged (ksm.rst, "max_page_sharing").
    writeSetting(root, 'run', '2');
    wanted = { run: present.run, ...wanted };
    present.run = '2';
  }
  for (const name of SETTINGS) {
    if (!changes(name)) continue;
    writeSetting(root, name, wanted[name]);
    written[name] = wanted[name];
  }
  return written;
}

/** @param {string} root @param {string} name @param {string} value */
function writeSetting(root, name, value) {
  try {
    writeFileSync(`${root}/${name}`, value);
  } catch (error) {
    const code = codeOf(error);
    if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
      const message = `${root}/${name} can't be written (${code}): changing ksmd's settings needs root.`;
      throw new KsmError('KSM_PERMISSION', message, { cause: error, missing: ['permission'] });
    }
    const busy = code === 'EBUSY' ? ' while pages are merged' : '';
    const message = `The kernel does not accept ${name} = ${value}${busy} (${code}).`;
    throw new KsmError('KSM_SETTING', message, { cause: error });
  }
}

/** Reads the counters. @param {string} [root] @throws {KsmError} KSM_UNSUPPORTED */
export function readCounters(root = SYSFS) {
  readSettings(root); // throws without KSM
  /** @param {string} name */
  const maybe = (name) => {
    const text = readSetting(root, name);
    return text === undefined ? undefined : Number(text);
  };
  return {
    full_scans: maybe('full_scans') ?? 0,
    pages_shared: maybe('pages_shared') ?? 0,
    pages_sharing: maybe('pages_sharing') ?? 0,
    pages_unshared: maybe('pages_unshared') ?? 0,
    pages_volatile: maybe('pages_volatile') ?? 0,
    pages_scanned: maybe('pages_scanned'),
    pages_skipped: maybe('pages_skipped'),
    ksm_zero_pages: maybe('ksm_zero_pages'),
    general_profit: maybe('general_profit'), // bytes
  };
}

/** @typedef {32 | 64} WordBits of the kernel; a 64-bit kernel may run 32-bit programs */

/** Returns the word size of the kernel. @returns {WordBits} */
export const kernelWordBits = (machine = os.machine()) => (/64|s390x/.test(machine) ? 64 : 32);

/** Size of the kernel's struct ksm_rmap_item by word size, bytes (ksm.rst, "Monitoring KSM profit"). */
const RMAP_ITEM_BYTES = Object.freeze({ 32: 32, 64: 64 });

/** @typedef {ReturnType<typeof balance>} Balance the memory that KSM saves and costs */

/**
 * Computes the balance of the whole system, as in ksm.rst, "Monitoring KSM profit".
 * @param {Counters} counters @param {{pageBytes?: number, wordBits?: WordBits}} [machine]
 */
export function balance(counters, { pageBytes = 4096, wordBits = kernelWordBits() } = {}) {
  const { pages_shared, pages_sharing, pages_unshared, pages_volatile } = counters;
  const mergedPages = pages_sharing + (counters.ksm_zero_pages ?? 0);
  const rmapItems = pages_shared + pages_sharing + pages_unshared + pages_volatile;
  const savedBytes = mergedPages * pageBytes;
  const metadataBytes = rmapItems * RMAP_ITEM_BYTES[wordBits];
  return {
    savedBytes,
    metadataBytes,
    profitBytes: counters.general_profit ?? savedBytes - metadataBytes,
    rmapItems, // pages that ksmd tracks
    mergedPages, // pages that merging has freed, including zero pages
    ratio: mergedPages > 0 ? rmapItems / mergedPages : rmapItems > 0 ? Infinity : 0,
    ratioBound: pageBytes / RMAP_ITEM_BYTES[wordBits], // above, the metadata needs more than merging saves
  };
}

/** Returns the pid of ksmd, or undefined inside a pid namespace. @param {string} [proc] */
export function findKsmd(proc = '/proc') {
  // 2 is kthreadd, the parent of every kernel thread. A program named ksmd has another parent.
  const isKsmd = (/** @type {string} */ stat) => /^\d+ \(ksmd\) \S+ 2 /.test(stat);
  return listPids(proc).find((pid) => isKsmd(readText(`${proc}/${pid}/stat`) ?? ''));
}

/** USER_HZ, the unit of proc_pid_stat(5); the same on every architecture of Node.js. */
const CLOCK_TICK_MS = 10;

/** Reads the CPU time of ksmd since boot, ms. @param {number} pid of ksmd @param {string} [proc] */
export function ksmdCpuMs(pid, proc = '/proc') {
  const nanoseconds = Number.parseInt(readText(`${proc}/${pid}/schedstat`) ?? '', 10);
  if (nanoseconds > 0) return nanoseconds / 1e6;
  const fields = readText(`${proc}/${pid}/stat`)?.split(') ')[1]?.split(' ');
  return fields && (Number(fields[11]) + Number(fields[12])) * CLOCK_TICK_MS;
}
