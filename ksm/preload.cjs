/**
 * Runs in a process launched with mergeableSpawnOptions() before its program. It is CommonJS, so it runs synchronously,
 * while two processes of one layout still have the same V8 heap, byte for byte. It marks the process and keeps its heap
 * similar to that of others. It never throws: if marking fails, the process runs unmarked.
 */
'use strict';

const fs = require('node:fs');
const { join } = require('node:path');
const { findAddon } = require('./addon/find.cjs');

/** @returns {import('./native.js').Native | undefined} */
function addon() {
  try {
    return require(findAddon('ksm', join(__dirname, '..'), __dirname));
  } catch {
    return undefined;
  }
}

const native = addon();
if (native && native.memoryMerge(1) < 0) {
  // Before Linux 6.4: marks each mapping, again when the process has grown.
  import('./advise.js').then(({ keepMarked }) => keepMarked()).catch(() => {});
}

const [settleAfterMs = 0, tidyEveryMs = 0] = (process.env.PITV_KSM_SETTLE ?? '')
  .split(',')
  .map(Number);
const collect = globalThis.gc;
if (collect && settleAfterMs > 0) keepHeapSimilar(collect);

/** Collects garbage at the start and when the program has settled. @param {NodeJS.GCFunction} collect */
function keepHeapSimilar(collect) {
  /** Collects twice: the second collection returns the empty half of the young generation to the kernel. */
  const collectAll = () => {
    collect();
    collect();
    native?.trimHeap();
  };
  // Removes the garbage of the start, and compacts the rest into the same order in every process.
  collectAll();
  const restore = readModulesInOrder();

  const settle = () => {
    process.removeListener('ksm:settle', settle);
    clearTimeout(timer);
    restore();
    collectAll();
    // A program makes little garbage in a second, so collecting the young generation takes less than a millisecond.
    // Otherwise it would grow to 1 MiB with content that differs in every process.
    if (tidyEveryMs > 0) setInterval(() => collect({ type: 'minor' }), tidyEveryMs).unref();
  };
  process.once('ksm:settle', settle);
  const timer = setTimeout(settle, settleAfterMs).unref();
}

/**
 * Makes the loader of ES modules read files synchronously, as that of Node.js 22 and later does. That of Node.js 20
 * reads them through libuv's threads, in a random order, so that the addresses of all later objects differ between
 * processes.
 * @returns {() => void} restores the original function
 */
function readModulesInOrder() {
  const { readFile } = fs.promises;
  // Only the loader passes URLs.
  fs.promises.readFile = /** @type {typeof readFile} */ (
    async (/** @type {any} */ path, /** @type {any} */ options) =>
      path instanceof URL ? fs.readFileSync(path, options) : readFile(path, options)
  );
  return () => {
    fs.promises.readFile = readFile;
  };
}
