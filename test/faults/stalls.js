/** Records when the machine, or this process, stalled. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { now } from '../support/polling.js';

const CANARY = fileURLToPath(new URL('./canary.js', import.meta.url));
/** The interval at which this process watches its own event loop. */
const LOOP_MS = 5;
/** A turn that is later than this is a stall. */
const LATE_MS = 8;

/** @typedef {[from: number, to: number]} Interval ms */

/**
 * Measures how much of an interval others cover.
 * @param {Interval[]} intervals in any order; they may overlap
 * @param {Interval} within
 * @returns {number} ms
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

/** @param {number} pid @returns {number | undefined} total time that its main thread has waited for a core, ms */
function runDelayMs(pid) {
  try {
    // Documentation/scheduler/sched-stats.rst: time on a core, time waiting for one, slices.
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'latin1').split(' ')[1]) / 1e6;
  } catch {
    return undefined; // it has ended, or this kernel has no schedstat
  }
}

/** Records how long processes waited for a core. */
export class RunDelays {
  /** @type {Map<number, {at: number, ms: number}[]>} by pid; ms: total so far */
  #delays = new Map();

  /** @param {number[]} pids running processes; those noted later start at 0 */
  constructor(pids) {
    for (const pid of pids) this.#delays.set(pid, [{ at: -Infinity, ms: runDelayMs(pid) ?? 0 }]);
  }

  /** Records the totals. Call it often, because the total of an ended process is lost. @param {number[]} pids */
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
   * @returns {number} ms that they waited together, as precise as the calls of note()
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

  /** @param {Interval} within @returns {number} ms of stalls */
  during(within) {
    return covered(this.#intervals, within);
  }

  /** Forgets earlier stalls. @param {number} at ms */
  forget(at) {
    this.#intervals = this.#intervals.filter(([, to]) => to >= at);
  }

  close() {
    clearInterval(this.#timer);
    this.#canary.stdin.end();
  }
}
