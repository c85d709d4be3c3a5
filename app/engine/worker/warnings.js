/** Reports what is wrong with a job that runs: in development each sort of problem once, otherwise one per worker. */
import { getHeapStatistics } from 'node:v8';

const DEVELOPMENT = process.env.NODE_ENV === 'development';
/** Longer sentences are cut. */
const MAX_CHARS = 1000;
/** Slow ticks of a worker's first second are not reported, because V8 has not compiled the job yet. */
const WARM_UP_SECONDS = 1;
/** Code that V8 has not optimised yet allocates numbers. A job that leaves no garbage does so for some 600 ticks. */
const GARBAGE_WARM_UP_SECONDS = 20;
/** Garbage is reported if the ticks of a second leave more than this on average, bytes. */
const MAX_GARBAGE = 16 * 1024;
const CALIBRATIONS = 8;

export class Warnings {
  #warn;
  #tickMs;
  #tickHz;
  /** Ticks of this worker. */
  #ticks = 0;
  #all;
  #ended = false;
  #slow = false;
  #garbageTicks = 0;
  #garbageBytes = 0;
  #garbageReported = false;

  /**
   * @param {(sentence: string) => void} warn
   * @param {{tickHz: number}} task
   * @param {boolean} [all] whether each sort of problem is reported
   */
  constructor(warn, { tickHz }, all = DEVELOPMENT) {
    this.#warn = warn;
    this.#tickMs = 1000 / tickHz;
    this.#tickHz = tickHz;
    this.#all = all;
  }

  /** Whether each sort of problem is reported. */
  get all() {
    return this.#all;
  }

  /**
   * Checks a job after a tick.
   * @param {import('./ticker.js').Job} job @param {number} tick
   * @param {number} stepMs duration of its step. In development, time that other programs took from it does not count
   * @param {number} [garbage] bytes that it left on the heap, -1 if unknown
   */
  check(job, tick, stepMs, garbage = -1) {
    if (this.#ended) return;
    const seconds = this.#ticks++ / this.#tickHz;
    const sentence = job.takeWarning?.();
    if (sentence) {
      this.#warn(String(sentence).slice(0, MAX_CHARS));
      this.#ended = !this.#all;
    }
    if (this.#all && !this.#slow && stepMs > this.#tickMs && seconds >= WARM_UP_SECONDS) {
      this.#slow = true;
      const [took, has] = [stepMs, this.#tickMs].map((ms) => ms.toFixed(1));
      this.#warn(
        `Tick ${tick} took ${took} ms; a tick has ${has} ms. Later slow ticks are not reported.`,
      );
    }
    if (this.#all && garbage >= 0 && seconds >= GARBAGE_WARM_UP_SECONDS) {
      this.#checkGarbage(tick, garbage);
    }
  }

  /** @param {number} tick @param {number} garbage bytes */
  #checkGarbage(tick, garbage) {
    if (this.#garbageReported) return;
    this.#garbageBytes += garbage;
    if (++this.#garbageTicks < this.#tickHz) return;
    const average = this.#garbageBytes / this.#garbageTicks;
    this.#garbageTicks = 0;
    this.#garbageBytes = 0;
    if (average <= MAX_GARBAGE) return;
    this.#garbageReported = true;
    const kib = (average / 1024).toFixed(1);
    this.#warn(
      `Tick ${tick}: the ticks of the last second left ${kib} KiB of garbage each. Collecting it takes time from later ticks: keep objects and arrays instead of making new ones.`,
    );
  }
}

/** Measures how much memory of the heap a tick allocates. Nothing of it is needed afterwards, so it is garbage. */
export class HeapMeter {
  #began = 0;
  /** What a measurement itself allocates, bytes. */
  #own = 0;

  constructor() {
    let least = Infinity;
    for (let i = 0; i < CALIBRATIONS; i++) {
      this.begin();
      const bytes = this.end();
      if (bytes >= 0) least = Math.min(least, bytes);
    }
    if (least < Infinity) this.#own = least;
  }

  begin() {
    this.#began = getHeapStatistics().used_heap_size;
  }

  /** @returns {number} bytes since begin(), -1 if a garbage collection happened meanwhile */
  end() {
    const bytes = getHeapStatistics().used_heap_size - this.#began;
    return bytes < 0 ? -1 : Math.max(0, bytes - this.#own);
  }
}
