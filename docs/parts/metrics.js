/** The table of metrics in operations.md. */
import * as client from 'prom-client';
import { Counters } from '../../app/server/metrics.js';
import { FleetCounters, addFleetMetrics } from '../../app/fleet/fleet-counters.js';
import { createRegistry } from '../../app/server/metrics-registry.js';
import { markdownTable } from '../../bench/report/markdown.js';

/** A state of a TV that has all metrics, without workers. */
const STATE = Object.freeze({
  counters: new Counters(),
  counts: { matches: 0, players: 0, screens: 0, pads: 0, wrongCodes: 0 },
  loopDelay: { count: 0, p50: 0, p99: 0, max: 0 },
  sample: {
    main: /** @type {any} */ ({}),
    workers: [],
    processes: [],
    ksm: /** @type {any} */ ({ workers: [] }),
  },
  udp: /** @type {any} */ ({ count: 0 }),
  addMore: (/** @type {import('../../app/server/metrics-registry.js').Writer} */ write) =>
    addFleetMetrics(write, {
      counters: new FleetCounters(),
      nodes: [],
      hasLease: true,
      matches: { here: 0, elsewhere: 0 },
    }),
});

/**
 * Formats the metrics as a Markdown table, those of UDP, a fleet and KSM too.
 * @returns {string}
 */
export function metrics() {
  const rows = createRegistry(client, STATE)
    .getMetricsAsArray()
    .map((metric) => {
      const { name, help, labelNames, type } = /** @type {any} */ (metric);
      const labels = labelNames.map((/** @type {string} */ label) => `\`${label}\``).join(', ');
      return [`\`${name}\``, type, labels, help];
    });
  return markdownTable(['Metric', 'Type', 'Labels', 'Meaning'], rows);
}
