/** The memory and CPU time of the TV: its main process, its workers and memory merging. */
import { memoryOf } from '../engine/host/procfs.js';
import { ksmSample } from '../engine/ksm.js';

/**
 * @typedef {object} Sample
 * @property {{pssKib: number | null, ussKib: number | null, rssKib: number | null, cpu: number}} main
 *   the main process; null: not known; cpu: percent of a core
 * @property {Awaited<ReturnType<import('../engine/index.js').Engine['stats']>>} workers
 * @property {ReturnType<typeof ksmSample>} ksm undefined where workers are not marked for merging
 */

/** pidusage reports the CPU time since the last call, unless that is longer ago than this, ms. */
const CPU_SINCE_LAST_SAMPLE = Object.freeze({ maxage: 3_600_000 });

export class Usage {
  #pidusage = /** @type {typeof import('pidusage') | undefined} */ (undefined);

  /**
   * @param {object} parts
   * @param {import('../engine/index.js').Engine | import('../engine/lazy-engine.js').LazyEngine} parts.engine
   * @param {() => import('../engine/ksm.js').Level} parts.ksmLevel
   */
  constructor({ engine, ksmLevel }) {
    this.engine = engine;
    this.ksmLevel = ksmLevel;
  }

  /** Reads the main process's usage since the last call. The first call loads pidusage, which no page needs. */
  async #main() {
    this.#pidusage ??= (await import('pidusage')).default;
    return this.#pidusage(process.pid, CPU_SINCE_LAST_SAMPLE);
  }

  /** Starts the first period of CPU time, so that the first sample is not 0. */
  start() {
    void this.#main().catch(() => {});
  }

  /** @returns {Promise<Sample>} */
  async sample() {
    const [memory, usage, workers] = await Promise.all([
      memoryOf(process.pid),
      this.#main(),
      this.engine.stats(),
    ]);
    const { pssKib = null, ussKib = null, rssKib = null } = memory ?? {};
    const pids = workers.map(({ pid }) => pid);
    const ksm = ksmSample(this.ksmLevel(), pids);
    return { main: { pssKib, ussKib, rssKib, cpu: usage.cpu }, workers, ksm };
  }

  close() {
    this.#pidusage?.clear();
  }
}
