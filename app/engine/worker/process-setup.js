/** Sets up processes that run jobs and tasks, and the zygotes that fork them. */
import { readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { native } from '../../native/native.js';

/** proc(5), oom_score_adj: -1000 (never) to 1000 (first). */
const WORKER_SCORE = 500;
/** Ctrl-C and service managers signal the whole process group, but the main process decides when a worker stops. */
const GROUP_SIGNALS = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);

/** Names a worker's process, which ignores signals for its group from then on. @param {string} title */
export function nameProcess(title) {
  process.title = title;
  for (const signal of GROUP_SIGNALS) process.on(signal, () => {});
}

/** Makes a zygote and its children ignore signals for their group. */
export function ignoreGroupSignals() {
  for (const signal of GROUP_SIGNALS) native().ignoreSignal(os.constants.signals[signal]);
}

/** Keeps a crash from writing a core file, which takes seconds and space on the SD card, and raises the OOM score. */
export function makeExpendable() {
  native().setLimit('core', 0);
  raiseOomScore();
}

/**
 * Makes the kernel's OOM killer prefer this process and its forks to the main process: a match resumes from its
 * checkpoint, a TV does not. Raising the score needs no privilege.
 * @param {string} [file] of another process
 */
export function raiseOomScore(file = '/proc/self/oom_score_adj') {
  try {
    writeFileSync(file, String(WORKER_SCORE));
  } catch {
    // /proc is missing or read-only. The kernel then chooses by size.
  }
}

/**
 * Makes the kernel refuse memory over the limit, so that a worker cannot use up the machine's memory before it is seen.
 * @param {number} memoryMb on top of the memory that Node has mapped so far (most of which it never touches)
 */
export function limitMemory(memoryMb) {
  const status = readFileSync('/proc/self/status', 'latin1');
  const dataKib = Number(/^VmData:\s+(\d+)/m.exec(status)?.[1] ?? 0);
  if (dataKib > 0) native().setLimit('data', (dataKib + memoryMb * 1024) * 1024);
}

/**
 * Lets the main thread run first when cores are short. On Linux a priority belongs to a thread, which threads that it
 * starts inherit, and 0 means the calling thread (setpriority(2), "C library/kernel differences").
 * @param {number} niceness @param {number} [pid] of another process
 */
export function lowerPriority(niceness, pid = 0) {
  try {
    os.setPriority(pid, Math.max(niceness, os.getPriority()));
  } catch {
    // The worker also works at the main thread's priority, or it has ended.
  }
}
