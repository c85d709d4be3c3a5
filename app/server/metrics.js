/** GET /metrics, in the format of Prometheus. It holds no secret. */
import { require } from '../require.js';
import { Counters } from './counters.js';
import { createRegistry } from './metrics-registry.js';

/** Scrapes within this time share one sample. */
const SAMPLE_MS = 1000;

/**
 * @typedef {import('../system/usage.js').Sample} Sample
 * @typedef {import('./metrics-registry.js').State} State
 *
 * @typedef {object} Sources
 * @property {() => Promise<Sample>} sample
 * @property {() => State['counts']} counts
 * @property {() => State['loopDelay']} loopDelay
 * @property {State['udp']} udp
 * @property {State['addMore']} [addMore]
 */

export class Metrics {
  counters = new Counters();
  /** @type {Promise<Sample> | undefined} */
  #sample;
  #sampledAt = -Infinity;

  /** @param {Sources} sources */
  constructor(sources) {
    this.sources = sources;
  }

  /** @returns {Promise<Sample>} at most a second old */
  sample() {
    const now = performance.now();
    if (!this.#sample || now - this.#sampledAt > SAMPLE_MS) {
      this.#sampledAt = now;
      this.#sample = this.sources.sample();
      this.#sample.catch(() => (this.#sample = undefined));
    }
    return this.#sample;
  }

  /** @returns {Promise<{type: string, text: string}>} the answer to a scrape, and its media type */
  async scrape() {
    const sample = await this.sample();
    // Loaded at the first scrape: many TVs have none.
    const client = /** @type {typeof import('prom-client')} */ (require('prom-client'));
    const { counts, loopDelay, udp, addMore } = this.sources;
    const registry = createRegistry(client, {
      counters: this.counters,
      sample,
      udp,
      counts: counts(),
      loopDelay: loopDelay(),
      addMore,
    });
    return { type: registry.contentType, text: await registry.metrics() };
  }
}
