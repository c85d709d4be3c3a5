/**
 * Marks this process's own memory as mergeable, two ways. prctl (Linux 6.4) marks all of it, what is
 * mapped later included. madvise marks the mappings that are there, so what grows afterwards wants
 * marking again: keepMarked(). Neither needs a privilege, neither starts ksmd.
 */
import { readFileSync } from 'node:fs';
import { unsupported } from './features.js';
import { isPrivateAnonymous, parseMaps } from './maps.js';
import { errnoName, native } from './native.js';

/** @typedef {import('./maps.js').Mapping} Mapping */

/**
 * @typedef {object} Refusal
 * @property {Mapping} mapping @property {string} errno e.g. 'EINVAL' @property {string} reason
 */

/**
 * @typedef {object} Advised
 * @property {number} mappings how many were marked @property {number} bytes their size, reserved
 *   but unused address space included: V8 reserves far more than it uses
 * @property {Refusal[]} refused @property {number} passedOver mappings the filter did not want
 */

/**
 * Why the kernel refuses a range: madvise(2), "ERRORS".
 * @type {Record<string, string>}
 */
const REASONS = {
  EINVAL: 'the kernel was built without CONFIG_KSM, or a sandbox forbids it',
  ENOMEM: 'unmapped in the meantime, or vm.max_map_count is reached',
  EAGAIN: 'the kernel was short of memory just now',
  EPERM: 'a sandbox forbids it',
};

/**
 * Marks mappings of this process: by default every private anonymous one, heaps and stacks included.
 * @param {{filter?: (mapping: Mapping) => boolean, mappings?: Mapping[]}} [options]
 * @returns {Advised}
 * @throws {import('./errors.js').KsmError} KSM_UNSUPPORTED when the kernel has no KSM or the addon is missing
 */
export function adviseMergeable(options) {
  return adviseAll(true, options);
}

/**
 * Takes the marks back; merged pages become this process's own again, which takes memory.
 * The mark of prctl is taken back too, where the kernel has it.
 * @param {{filter?: (mapping: Mapping) => boolean, mappings?: Mapping[]}} [options]
 * @returns {Advised}
 * @throws {import('./errors.js').KsmError} KSM_UNSUPPORTED
 */
export function unmerge(options) {
  const addon = native();
  // Only what was set: taking prctl's mark back also takes back every madvise of this process.
  if (addon.memoryMerge(-1) === 1 && options?.filter === undefined) addon.memoryMerge(0);
  return adviseAll(false, options);
}

/**
 * @param {boolean} mergeable
 * @param {{filter?: (mapping: Mapping) => boolean, mappings?: Mapping[]}} [options]
 */
function adviseAll(mergeable, { filter = isPrivateAnonymous, mappings = ownMappings() } = {}) {
  const addon = native();
  // An empty range: only the advice itself is checked.
  const supported = addon.adviseRange(0, 0, Number(mergeable));
  if (supported < 0) {
    const why = `madvise gave ${errnoName(supported)}, ${reasonOf(supported)}`;
    throw unsupported("Memory can't be marked for KSM", ['CONFIG_KSM'], why);
  }
  /** @type {Advised} */
  const advised = { mappings: 0, bytes: 0, refused: [], passedOver: 0 };
  for (const mapping of mappings) {
    if (!filter(mapping)) {
      advised.passedOver++;
      continue;
    }
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
function reasonOf(result) {
  return REASONS[errnoName(result)] ?? 'the kernel gives no reason';
}

/** @returns {Mapping[]} */
function ownMappings() {
  return parseMaps(readFileSync('/proc/self/maps', 'latin1'));
}

/**
 * Marks all memory of this process, what it will map later and what it forks included (prctl,
 * Linux 6.4); false takes the mark back and splits every merged page.
 * @param {boolean} on
 * @throws {import('./errors.js').KsmError} KSM_UNSUPPORTED
 */
export function setMemoryMerge(on) {
  const result = native().memoryMerge(Number(on));
  if (result < 0) throw noPrctl(result);
}

/**
 * @returns {boolean} whether all memory of this process is marked (prctl)
 * @throws {import('./errors.js').KsmError} KSM_UNSUPPORTED
 */
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

/** How often keepMarked() looks whether the process grew. */
const LOOK_MS = 5000;

/**
 * Marks this process by madvise now, and again whenever its address space has grown. For kernels
 * without prctl's mark. Does not keep the process alive.
 * @param {{intervalMs?: number, filter?: (mapping: Mapping) => boolean,
 *   onMarked?: (advised: Advised) => void}} [options]
 * @returns {() => void} stops looking
 * @throws {import('./errors.js').KsmError} KSM_UNSUPPORTED
 */
export function keepMarked({ intervalMs = LOOK_MS, filter, onMarked } = {}) {
  let pages = 0;
  const mark = () => {
    const now = addressSpacePages();
    if (now === pages) return;
    pages = now;
    const advised = adviseMergeable({ filter });
    onMarked?.(advised);
  };
  mark();
  const timer = setInterval(mark, intervalMs).unref();
  return () => clearInterval(timer);
}

/** The size of the address space: the first number of proc_pid_statm(5), and cheap to ask for. */
function addressSpacePages() {
  return Number.parseInt(readFileSync('/proc/self/statm', 'latin1'), 10);
}

/**
 * Gives memory that malloc holds but nobody uses back to the kernel. Used pages are left alone.
 * @returns {boolean} whether any went back
 */
export function trimHeap() {
  return native().trimHeap();
}
