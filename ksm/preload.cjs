/**
 * What a process launched with mergeableSpawnOptions() runs before its own program, as CommonJS and
 * so synchronously: at this moment two processes of one layout still have the same V8 heap, byte for
 * byte. Marks the process, and keeps that likeness as long as it can. It never throws: a process that
 * can't be marked runs as an ordinary one.
 */
'use strict';

const fs = require('node:fs');
const { join } = require('node:path');

/** @returns {import('./native.js').Native | undefined} */
function addon() {
  for (const place of ['../build', 'build']) {
    try {
      return require(join(__dirname, place, process.arch, 'ksm.node'));
    } catch {
      // The next place, or no marking.
    }
  }
  return undefined;
}

const native = addon();
if (native && native.memoryMerge(1) < 0) {
  // Before Linux 6.4: mapping by mapping, again when it has grown.
  import('./advise.js').then(({ keepMarked }) => keepMarked()).catch(() => {});
}

const [settleAfterMs = 0, tidyEveryMs = 0] = (process.env.PITV_KSM_SETTLE ?? '')
  .split(',')
  .map(Number);
const collect = globalThis.gc;
if (collect && settleAfterMs > 0) keepAlike(collect);

/** @param {NodeJS.GCFunction} collect */
function keepAlike(collect) {
  /** Twice: the second one gives the emptied half of the young generation back to the kernel. */
  const collectAll = () => {
    collect();
    collect();
    native?.trimHeap();
  };
  // What start-up left behind goes, and what stays lies in the same order everywhere.
  collectAll();
  const restore = readModulesInOrder();

  const settle = () => {
    process.removeListener('ksm:settle', settle);
    clearTimeout(timer);
    restore();
    collectAll();
    // What a program leaves behind in a second is small, so emptying the young generation takes less
    // than a millisecond; left alone it would fill up to 1 MiB that no other process has.
    if (tidyEveryMs > 0) setInterval(() => collect({ type: 'minor' }), tidyEveryMs).unref();
  };
  process.once('ksm:settle', settle);
  const timer = setTimeout(settle, settleAfterMs).unref();
}

/**
 * The loader of ES modules reads files through libuv's threads: which one is there first, and so where
 * in memory it and all that follows lies, is chance. Read at once they come in the same order always.
 * @returns {() => void} lets them be read as before
 */
function readModulesInOrder() {
  const { readFile } = fs.promises;
  // Only what the loader asks for: it names files by URL.
  fs.promises.readFile = /** @type {typeof readFile} */ (
    async (/** @type {any} */ path, /** @type {any} */ options) =>
      path instanceof URL ? fs.readFileSync(path, options) : readFile(path, options)
  );
  return () => {
    fs.promises.readFile = readFile;
  };
}
