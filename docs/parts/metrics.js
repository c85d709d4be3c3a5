/** The table of metrics in operations.md. */
import { KsmGauges } from '../../app/server/ksm-gauges.js';
import { Metrics } from '../../app/server/metrics.js';
import { UdpMetrics } from '../../app/server/udp-metrics.js';

/**
 * Formats the metrics as a Markdown table, those of UDP and KSM too.
 * @returns {string}
 */
export function metrics() {
  const { registry } = new Metrics(/** @type {any} */ ({}));
  new UdpMetrics(registry, /** @type {any} */ ({}));
  new KsmGauges(registry);
  const rows = registry.getMetricsAsArray().map((metric) => {
    const { name, help, labelNames } = /** @type {any} */ (metric);
    const labels = labelNames.map((/** @type {string} */ label) => `\`${label}\``).join(', ');
    return `| \`${name}\` | ${metric.constructor.name.toLowerCase()} | ${labels} | ${help} |`;
  });
  return ['| Metric | Type | Labels | Meaning |', '| --- | --- | --- | --- |', ...rows].join('\n');
}
