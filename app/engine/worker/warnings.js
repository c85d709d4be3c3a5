/** Reports what is wrong with a job that runs: in development each sort of problem once, otherwise one per worker. */

const DEVELOPMENT = process.env.NODE_ENV === 'development';
/** Longer sentences are cut. */
const MAX_CHARS = 1000;
/** The first second, in which V8 has not compiled the job yet. */
const WARM_UP_SECONDS = 1;

export class Warnings {
  #warn;
  #tickMs;
  #firstTick;
  #all;
  #ended = false;
  #slow = false;

  /**
   * @param {(sentence: string) => void} warn
   * @param {{tickHz: number}} task
   * @param {boolean} [all] whether each sort of problem is reported
   */
  constructor(warn, { tickHz }, all = DEVELOPMENT) {
    this.#warn = warn;
    this.#tickMs = 1000 / tickHz;
    this.#firstTick = WARM_UP_SECONDS * tickHz;
    this.#all = all;
  }

  /**
   * Checks a job after a tick.
   * @param {import('./ticker.js').Job} job @param {number} tick @param {number} stepMs duration of its step
   */
  check(job, tick, stepMs) {
    if (this.#ended) return;
    const sentence = job.takeWarning?.();
    if (sentence) {
      this.#warn(String(sentence).slice(0, MAX_CHARS));
      this.#ended = !this.#all;
    }
    if (this.#all && !this.#slow && stepMs > this.#tickMs && tick > this.#firstTick) {
      this.#slow = true;
      const [took, has] = [stepMs, this.#tickMs].map((ms) => ms.toFixed(1));
      this.#warn(
        `Tick ${tick} took ${took} ms; a tick has ${has} ms. Later slow ticks are not reported.`,
      );
    }
  }
}
