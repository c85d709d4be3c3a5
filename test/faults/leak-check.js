/** Finds leaks of a TV: descriptors, shared memory and processes beyond those before its first fault. */
import { setTimeout as delay } from 'node:timers/promises';
import { poll } from '../support/polling.js';
import { countDescriptors, excess, groupOf, isAlive } from '../support/serve.js';

/** The time for a zygote to be warmed up on a machine with other work. */
const WARM_MS = 90_000;
/** The time for a spare child to be forked before the baseline is taken. */
const BASELINE_MS = 500;
/** The time for descriptors and processes of a fault to be closed. */
const FREE_MS = 10_000;

/** @typedef {{descriptors: number, memfds: number, processes: number}} Counts */

/**
 * Counts the resources of a TV. The main process holds one descriptor for each retired zygote that still has
 * children; these descriptors are not counted.
 * @param {import('../support/serve.js').ServeChild} serve
 * @returns {Counts}
 */
function countOf(serve) {
  const { descriptors, memfds } = countDescriptors([serve.pid]);
  // A zygote leads a process group.
  const zygotes = new Set([...serve.workers.values()].filter(isAlive).map(groupOf));
  zygotes.delete(serve.zygotePid);
  return { descriptors: descriptors - zygotes.size, memfds, processes: serve.processes().length };
}

export class LeakCheck {
  /** Counts of the current main process at rest. @type {Counts | undefined} */
  #baseline;

  /** @param {import('../support/serve.js').ServeChild} serve @param {boolean} hasZygote whether the engine is one */
  constructor(serve, hasZygote) {
    this.serve = serve;
    this.hasZygote = hasZygote;
  }

  /** Whether the TV has all its processes. A zygote is warmed up for seconds after a start. */
  get #isSettled() {
    return !this.hasZygote || this.serve.zygoteSettled;
  }

  /** Forgets the baseline, because the main process has ended. */
  reset() {
    this.#baseline = undefined;
  }

  /** Takes the counts of a main process before its first fault. */
  async takeBaseline() {
    if (this.#baseline) return;
    await poll(() => this.#isSettled, WARM_MS);
    await delay(BASELINE_MS);
    this.#baseline = countOf(this.serve);
  }

  /**
   * Waits until the counts are back at the baseline.
   * @param {string[]} wrong gets a sentence about a leak
   * @returns {Promise<number>} the excess; 0 before the TV has settled, because a later check finds a leak
   */
  async find(wrong) {
    const { serve } = this;
    const baseline = this.#baseline;
    if (!baseline || !this.#isSettled) return 0;
    const isFreed = () => !this.#isSettled || excess(countOf(serve), baseline) === 0;
    if (await poll(isFreed, FREE_MS)) return 0;
    const counts = countOf(serve);
    const leaked = excess(counts, baseline);
    if (leaked === 0) return 0;
    this.#baseline = counts; // otherwise every later fault would report it too
    wrong.push(`held before ${JSON.stringify(baseline)}, now ${JSON.stringify(counts)}`);
    return leaked;
  }
}
