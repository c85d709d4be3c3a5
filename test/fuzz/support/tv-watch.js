/**
 * Watches a TV in this process while others try to disturb it: frames of a match at a screen, and stalls of the loop.
 */
import { readFileSync } from 'node:fs';
import { createHistogram } from 'node:perf_hooks';
import { processTree } from '../../../app/process/process-tree.js';
import { descriptors } from '../../support/wire.js';

/** How often the loop is looked at. */
const POLL_MS = 5;
/** A loop that does not answer for longer stalls. */
const STALL_MS = 50;
const US_PER_MS = 1000;
const NS_PER_MS = 1e6;
const TICK_HZ = 60;

/** Descriptors and processes in use; a process that has been forked ahead counts. */
export const inUse = () => ({
  descriptors: descriptors(),
  processes: processTree().length,
});

/** Time that this thread has waited for a core, ms (schedstat in proc(5)). */
const waitedMs = () =>
  Number(readFileSync('/proc/thread-self/schedstat', 'latin1').split(' ')[1]) / NS_PER_MS;

/** Time that the hypervisor has taken from all cores, ms (steal in proc_stat(5)); its unit is 10 ms. */
const stolenMs = () => Number(readFileSync('/proc/stat', 'latin1').split(/\s+/)[8]) * 10;

/** Measures a match in windows: as many as there are, with pauses between them. */
export class Windows {
  #gaps = createHistogram();
  #frameAt = NaN;
  #from = { at: 0, ticks: 0, late: 0 };
  #ms = 0;
  #ticks = 0;
  #late = 0;

  /**
   * @param {string} name @param {import('../../../app/match/match.js').Match} match
   * @param {import('../../support/tv.js').Client} screen of the match
   */
  constructor(name, match, screen) {
    this.name = name;
    this.match = match;
    this.open = false;
    screen.socket.on('message', (_data, isBinary) => isBinary && this.open && this.#onFrame());
  }

  #onFrame() {
    const now = performance.now();
    if (now > this.#frameAt)
      this.#gaps.record(Math.max(1, Math.round((now - this.#frameAt) * US_PER_MS)));
    this.#frameAt = now;
  }

  #now() {
    const { ticks, worker } = this.match;
    return { at: performance.now(), ticks, late: worker.mailbox?.lateTicks ?? 0 };
  }

  begin() {
    this.open = true;
    this.#frameAt = NaN;
    this.#from = this.#now();
  }

  end() {
    const { at, ticks, late } = this.#now();
    this.open = false;
    this.#ms += at - this.#from.at;
    this.#ticks += ticks - this.#from.ticks;
    this.#late += late - this.#from.late;
  }

  /** Summarises the windows. ticks: their number, in parts of those that the clock has had; gaps between frames, ms */
  summary() {
    const gaps = this.#gaps;
    return {
      name: this.name,
      seconds: this.#ms / 1000,
      ticks: this.#ticks / ((this.#ms / 1000) * TICK_HZ),
      lateTicks: this.#late / this.#ticks,
      frames: gaps.count,
      p99: gaps.percentile(99) / US_PER_MS,
      max: gaps.max / US_PER_MS,
    };
  }
}

/** Finds times in which the loop of this thread does not turn although a core is free for it, in windows. */
export class Stalls {
  /** stolenMs: what the hypervisor took from all cores meanwhile. @type {{ms: number, stolenMs: number}[]} */
  found = [];
  /** Durations of the windows and what the hypervisor took in them, ms. */
  total = { ms: 0, stolenMs: 0 };
  #at = 0;
  #waitedMs = 0;
  #stolenMs = 0;
  /** @type {NodeJS.Timeout | undefined} */
  #timer;

  begin() {
    this.#at = performance.now();
    this.#waitedMs = waitedMs();
    this.#stolenMs = stolenMs();
    this.#timer = setInterval(() => this.#poll(), POLL_MS);
  }

  #poll() {
    const now = performance.now();
    const waited = waitedMs();
    const stolen = stolenMs();
    const ms = now - this.#at - (waited - this.#waitedMs);
    if (ms > STALL_MS) this.found.push({ ms, stolenMs: stolen - this.#stolenMs });
    this.total.ms += now - this.#at;
    this.total.stolenMs += stolen - this.#stolenMs;
    this.#at = now;
    this.#waitedMs = waited;
    this.#stolenMs = stolen;
  }

  end() {
    clearInterval(this.#timer);
    this.#poll();
  }
}
