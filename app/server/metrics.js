/** Counts what the server does, in plain numbers: a TV that nobody scrapes needs no library. /metrics has no secret. */
import { require } from '../require.js';
import { LatencyMeter } from './measurements.js';
import { createRegistry } from './metrics-registry.js';

/** Scrapes within this time share one sample. */
const SAMPLE_MS = 1000;

/** Counts by name. @extends {Map<string, number>} */
class CountsByName extends Map {
  /** @param {string} name one of a small fixed set: each is a time series */
  add(name) {
    this.set(name, (this.get(name) ?? 0) + 1);
  }
}

/** Counts what the hub sends, receives and refuses, and what happens to matches. */
export class Counters {
  framesSent = 0;
  framesSkipped = 0;
  bytesSent = 0;
  bytesReceived = 0;
  messages = 0;
  drops = new CountsByName();
  restarts = new CountsByName();
  ended = new CountsByName();
  latency = new LatencyMeter();

  /** @param {string} kind of message, request or connection */
  dropped(kind) {
    this.drops.add(kind);
  }
}

/**
 * @typedef {import('../system/usage.js').Sample} Sample
 * @typedef {import('./metrics-registry.js').State} State
 */

export class Metrics {
  counters = new Counters();
  /** @type {Promise<Sample> | undefined} */
  #sample;
  #sampledAt = -Infinity;

  /**
   * @param {Pick<import('../system/usage.js').Usage, 'sample'>} usage
   * @param {() => Omit<State, 'counters' | 'sample'>} stateOf returns the rest of the state
   */
  constructor(usage, stateOf) {
    this.usage = usage;
    this.stateOf = stateOf;
  }

  /** @returns {Promise<Sample>} at most a second old */
  sample() {
    const now = performance.now();
    if (!this.#sample || now - this.#sampledAt > SAMPLE_MS) {
      this.#sampledAt = now;
      this.#sample = this.usage.sample();
      this.#sample.catch(() => (this.#sample = undefined));
    }
    return this.#sample;
  }

  /** @returns {Promise<import('prom-client').Registry>} of this moment */
  async scrape() {
    const sample = await this.sample();
    // Loaded at the first scrape: many TVs have none.
    const client = /** @type {typeof import('prom-client')} */ (require('prom-client'));
    const { counters } = this;
    return createRegistry(client, { ...this.stateOf(), counters, sample });
  }
}
