/** The times in which the machine, or this process, stood still. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { now } from './clock.js';

const CANARY = fileURLToPath(new URL('./canary.js', import.meta.url));
/** How often this process's own event loop is watched, and from when on it is late. */
const LOOP_MS = 5;
const LATE_MS = 8;

/** @typedef {[from: number, to: number]} Interval ms */

/**
 * @param {Interval[]} intervals in any order; they may overlap
 * @param {Interval} within
 * @returns {number} ms of `within` that they cover
 */
export function covered(intervals, [from, to]) {
  let sum = 0;
  let end = from;
  for (const [start, stop] of [...intervals].sort((a, b) => a[0] - b[0])) {
    const begin = Math.max(start, end);
    const finish = Math.min(stop, to);
    if (finish > begin) sum += finish - begin;
    end = Math.max(end, finish);
  }
  return sum;
}

/** @param {number} pid @returns {number | undefined} ms that its main thread has waited for a core */
function runDelayMs(pid) {
  try {
    // Documentation/scheduler/sched-stats.rst: time on a core, time waiting for one, slices.
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'latin1').split(' ')[1]) / 1e6;
  } catch {
    return undefined; // it has ended, or this kernel does not tell
  }
}

/** How long processes waited for a core, and when. */
export class RunDelays {
  /** @type {Map<number, {at: number, ms: number}[]>} pid -> all time waited so far */
  #delays = new Map();

  /** @param {number[]} pids that run already; others begin at 0 */
  constructor(pids) {
    for (const pid of pids) this.#delays.set(pid, [{ at: -Infinity, ms: runDelayMs(pid) ?? 0 }]);
  }

  /** Notes the present state. Call it often: a process takes its figures with it. @param {number[]} pids */
  note(pids) {
    const at = now();
    for (const pid of pids) {
      const ms = runDelayMs(pid);
      const seen = this.#delays.get(pid) ?? [{ at: -Infinity, ms: 0 }];
      this.#delays.set(pid, seen);
      if (ms !== undefined) seen.push({ at, ms });
    }
  }

  /**
   * @param {Interval} interval @param {Iterable<number>} pids
   * @returns {number} ms that they waited, all together, to the grain of the notes
   */
  during([from, to], pids) {
    let sum = 0;
    for (const pid of pids) {
      const seen = this.#delays.get(pid);
      if (!seen) continue;
      const before = seen.findLast(({ at }) => at <= from) ?? seen[0];
      const after = seen.find(({ at }) => at >= to) ?? seen[seen.length - 1];
      sum += after.ms - before.ms;
    }
    return sum;
  }
}

export class Stalls {
  /** @type {Interval[]} of the canary, and of this process */
  #intervals = [];
  #canary;
  #timer;

  constructor() {
    this.#canary = spawn(process.execPath, [CANARY], { stdio: ['pipe', 'pipe', 'inherit'] });
    createInterface({ input: this.#canary.stdout }).on('line', (line) =>
      this.#intervals.push(JSON.parse(line)),
    );
    let seen = now();
    this.#timer = setInterval(() => {
      const at = now();
      if (at - seen - LOOP_MS > LATE_MS) this.#intervals.push([seen + LOOP_MS, at]);
      seen = at;
    }, LOOP_MS);
  }

  /** @param {Interval} within @returns {number} ms that nothing could run */
  during(within) {
    return covered(this.#intervals, within);
  }

  /** Forgets what was before. @param {number} at ms */
  forget(at) {
    this.#intervals = this.#intervals.filter(([, to]) => to >= at);
  }

  close() {
    clearInterval(this.#timer);
    this.#canary.stdin.end();
  }
}
