/**
 * Marks the memory of this process as mergeable. prctl (Linux 6.4) marks all memory, including later mappings. madvise
 * marks existing mappings only, so keepMarked() repeats it when the process has grown. Neither needs a privilege, and
 * neither starts ksmd.
 */
import { readFileSync } from 'node:fs';
import { unsupported } from './features.js';
import { isPrivateAnonymous, parseMaps } from './proc.js';
import { errnoName, native } from './native.js';

/** @typedef {import('./proc.js').Mapping} Mapping */

/**
 * @typedef {object} Advised
 * @property {number} mappings number of marked mappings
 * @property {number} bytes their size, including reserved address space: V8 reserves far more than it uses
 * @property {{mapping: Mapping, errno: string, reason: string}[]} refused errno: such as 'EINVAL'
 */

/** Why the kernel refuses a range; see madvise(2), "ERRORS". @type {Record<string, string>} */
const REASONS = {
  EINVAL: 'the kernel was built without CONFIG_KSM, or a sandbox forbids it',
  ENOMEM: 'unmapped in the meantime, or vm.max_map_count is reached',
  EAGAIN: 'the kernel was temporarily short of memory',
  EPERM: 'a sandbox forbids it',
};

/**
 * Marks mappings of this process by madvise.
 * @param {Mapping[]} [mappings] by default all private anonymous ones, including heaps and stacks
 * @throws {import('./errors.js').KsmError} KSM_UNSUPPORTED when the kernel has no KSM or the addon is missing
 */
export const adviseMergeable = (mappings = ownMappings()) => adviseAll(true, mappings);

/**
 * Removes the marks of madvise and prctl. Every merged page becomes a private copy again, which needs memory.
 * @throws {import('./errors.js').KsmError} KSM_UNSUPPORTED
 */
export function unmerge() {
  const addon = native();
  if (addon.memoryMerge(-1) === 1) addon.memoryMerge(0);
  return adviseAll(false, ownMappings());
}

/** @param {boolean} mergeable @param {Mapping[]} mappings */
function adviseAll(mergeable, mappings) {
  const addon = native();
  // With an empty range, the kernel only checks the advice.
  const supported = addon.adviseRange(0, 0, Number(mergeable));
  if (supported < 0) {
    const why = `madvise gave ${errnoName(supported)}, ${reasonOf(supported)}`;
    throw unsupported("Memory can't be marked for KSM", ['CONFIG_KSM'], why);
  }
  /** @type {Advised} */
  const advised = { mappings: 0, bytes: 0, refused: [] };
  for (const mapping of mappings) {
    const result = addon.adviseRange(mapping.start, mapping.bytes, Number(mergeable));
    if (result === 0) {
      advised.mappings++;
      advised.bytes += mapping.bytes;
    } else {
      advised.refused.push({ mapping, errno: errnoName(result), reason: reasonOf(result) });
    }
  }
  return advised;
}

/** @param {number} result a -errno */
const reasonOf = (result) => REASONS[errnoName(result)] ?? 'the kernel gives no reason';

const ownMappings = () =>
  parseMaps(readFileSync('/proc/self/maps', 'latin1')).filter(isPrivateAnonymous);

/**
 * Marks all memory of this process, including later mappings and forked children (prctl, Linux 6.4).
 * @param {boolean} on false removes the mark and splits every merged page
 * @throws {import('./errors.js').KsmError} KSM_UNSUPPORTED
 */
export function setMemoryMerge(on) {
  const result = native().memoryMerge(Number(on));
  if (result < 0) throw noPrctl(result);
}

/** Returns whether prctl marks all memory of this process. @throws {import('./errors.js').KsmError} KSM_UNSUPPORTED */
export function getMemoryMerge() {
  const result = native().memoryMerge(-1);
  if (result < 0) throw noPrctl(result);
  return result === 1;
}

/** @param {number} result a -errno */
function noPrctl(result) {
  const why = `prctl gave ${errnoName(result)}; it needs Linux 6.4 with CONFIG_KSM`;
  return unsupported("The whole process can't be marked at once", ['linux-6.4'], why);
}

/** A process that keepMarked() marks is no longer marked after this event on `process`. */
export const UNMERGE_EVENT = 'ksm:unmerge';
/** How often keepMarked() checks whether the process has grown. */
const POLL_MS = 5000;

/**
 * Marks this process by madvise now, and again whenever its address space has grown. For kernels without the mark of
 * prctl. Does not keep the process alive.
 * @param {{intervalMs?: number}} [options]
 * @returns {() => void} stops the repetition
 * @throws {import('./errors.js').KsmError} KSM_UNSUPPORTED
 */
export function keepMarked({ intervalMs = POLL_MS } = {}) {
  let pages = 0;
  const mark = () => {
    const now = addressSpacePages();
    if (now === pages) return;
    pages = now;
    adviseMergeable();
  };
  mark();
  const timer = setInterval(mark, intervalMs).unref();
  process.once(UNMERGE_EVENT, () => {
    clearInterval(timer);
    unmerge();
  });
  return () => clearInterval(timer);
}

/** Returns the size of the address space. proc_pid_statm(5) is cheap to read. */
const addressSpacePages = () => Number.parseInt(readFileSync('/proc/self/statm', 'latin1'), 10);

/** Returns the free memory of malloc's heaps to the kernel. @returns {boolean} whether there was any */
export const trimHeap = () => native().trimHeap();
