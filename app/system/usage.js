/** Reads the memory and CPU time of the TV's processes: main process, zygote, spare children, workers and others. */
import { readFile } from 'node:fs/promises';
import { ksmSample } from '../engine/ksm.js';
import { memoryOf } from '../process/memory-account.js';
import { processTree } from '../process/process-tree.js';
import { require } from '../require.js';

/**
 * @typedef {import('../process/memory-account.js').Memory} Memory
 *
 * @typedef {object} Process
 * @property {'main' | 'zygote' | 'spare' | 'worker' | 'other'} name other: for example a benchmark
 * @property {number} pid
 * @property {string | null} game of a worker
 * @property {string} command as the kernel knows it, up to 15 characters
 * @property {Memory} memory KiB; NaN: this kernel does not report it
 *
 * @typedef {Awaited<ReturnType<Usage['sample']>>} Sample
 */

/** How long figures of memory are used: for each of them the kernel walks the page tables of a process. */
const MEMORY_MS = 3000;
/** pidusage reports the CPU time since the last call, unless that is longer ago than this, ms. */
const CPU_SINCE_LAST_SAMPLE = Object.freeze({ maxage: 3_600_000 });
/** Titles of the zygote engine's processes without a game; a zygote that warms up rehearses. */
const TITLES = /** @type {Record<string, Process['name']>} */ ({
  'pitv:zygote': 'zygote',
  rehearsal: 'zygote',
  'pitv:spare': 'spare',
});

export class Usage {
  #pidusage = /** @type {typeof import('pidusage') | undefined} */ (undefined);
  /** @type {Promise<Process[]> | undefined} */
  #reading;
  /** The workers of the last reading. */
  #readFor = '';
  #readAt = -Infinity;
  /** Late ticks counted so far. @type {WeakMap<object, number>} by mailbox */
  #lateTicks = new WeakMap();

  /**
   * @param {object} parts @param {import('../engine/index.js').Engine} parts.engine
   * @param {() => import('../engine/ksm.js').Level} parts.ksmLevel
   */
  constructor({ engine, ksmLevel }) {
    this.engine = engine;
    this.ksmLevel = ksmLevel;
  }

  /** Returns the main process's usage since the last call. The first call loads pidusage. */
  async #main() {
    this.#pidusage ??= /** @type {typeof import('pidusage')} */ (require('pidusage'));
    return this.#pidusage(process.pid, CPU_SINCE_LAST_SAMPLE);
  }

  /** Starts the first period of CPU time, so that the first sample is not 0. */
  start() {
    void this.#main().catch(() => {});
  }

  /** Reads the counters of workers, memory (null: not known), CPU time (percent of a core), and what merging saves. */
  async sample() {
    const [processes, { cpu }, stats] = await Promise.all([
      this.processes(),
      this.#main(),
      this.engine.stats({ memory: false }),
    ]);
    const workers = stats.map((worker) => ({ ...worker, ...shortMemory(processes, worker.pid) }));
    const main = { ...shortMemory(processes, process.pid), cpu };
    return { main, workers, processes, ksm: this.ksm() };
  }

  /** Reads what memory merging saves. */
  ksm() {
    const pids = this.engine.workers.map(({ pid }) => pid);
    return ksmSample(this.ksmLevel(), pids);
  }

  /** Returns the memory of each process of the TV, the main process first. It is at most 3 s old. */
  processes() {
    const workers = this.engine.workers.map(({ pid }) => pid).join();
    const now = performance.now();
    if (!this.#reading || now - this.#readAt > MEMORY_MS || workers !== this.#readFor) {
      this.#readAt = now;
      this.#readFor = workers;
      this.#reading = this.#read();
      this.#reading.catch(() => (this.#reading = undefined));
    }
    return this.#reading;
  }

  /** @returns {Promise<Process[]>} */
  async #read() {
    const games = new Map(this.engine.workers.map(({ pid, name }) => [pid, name]));
    // A worker whose zygote has ended is no longer below the main process.
    const roots = [process.pid, ...games.keys()].filter((pid) => pid > 0);
    const pids = [...new Set(roots.flatMap((pid) => processTree(pid)))];
    const processes = await Promise.all(pids.map((pid) => readProcess(pid, games.get(pid))));
    return processes.filter((one) => one !== undefined);
  }

  /**
   * Returns the last reading of processes() without reading again.
   * @param {number} maxAgeMs
   * @returns {Promise<Process[]> | undefined} undefined: there is none, or it is older
   */
  recentProcesses(maxAgeMs) {
    return performance.now() - this.#readAt <= maxAgeMs ? this.#reading : undefined;
  }

  /** Counts the late ticks of all workers since the last call, except those of a worker that has ended since then. */
  takeLateTicks() {
    let ticks = 0;
    for (const { mailbox } of this.engine.workers) {
      const before = this.#lateTicks.get(mailbox) ?? 0;
      const { lateTicks } = mailbox;
      ticks += lateTicks >= before ? lateTicks - before : lateTicks; // a new worker starts at 0
      this.#lateTicks.set(mailbox, lateTicks);
    }
    return ticks;
  }

  close() {
    this.#pidusage?.clear();
  }
}

/**
 * Reads one process.
 * @param {number} pid @param {string} [game] of a worker
 * @returns {Promise<Process | undefined>} undefined: it has ended
 */
async function readProcess(pid, game) {
  const [memory, comm] = await Promise.all([
    memoryOf(pid),
    readFile(`/proc/${pid}/comm`, 'latin1').catch(() => ''),
  ]);
  if (!memory) return undefined;
  const command = comm.trim();
  if (pid === process.pid) return { name: 'main', pid, game: null, command, memory };
  if (game !== undefined) return { name: 'worker', pid, game, command, memory };
  return { name: TITLES[command] ?? 'other', pid, game: null, command, memory };
}

/** @param {Process[]} processes @param {number} pid */
function shortMemory(processes, pid) {
  const { memory } = processes.find((one) => one.pid === pid) ?? {};
  const { pssKib = null, ussKib = null, rssKib = null } = memory ?? {};
  return { pssKib, ussKib, rssKib };
}
