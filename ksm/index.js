/** Kernel Same-page Merging for Node.js. README.md describes its use and its costs. */
export {
  adviseMergeable,
  getMemoryMerge,
  keepMarked,
  setMemoryMerge,
  trimHeap,
  unmerge,
} from './advise.js';
export { KsmController } from './controller.js';
export { KsmError } from './errors.js';
export { probeFeatures } from './features.js';
export { LEVELS, SETTLE_EVENT, aslrIsOff, mergeableSpawnOptions, withoutAslr } from './layout.js';
export { isPrivateAnonymous, parseMaps, sumSmaps } from './proc.js';
export { Policy } from './policy.js';
export { isMergeable, ksmFigures, mergeableProcesses, processFigures } from './processes.js';
export { SYSFS, balance, findKsmd, ksmdCpuMs, readCounters, readSettings } from './sysfs.js';
