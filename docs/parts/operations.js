/** The tables in operations.md. */
import * as client from 'prom-client';
import { flagName, variableName } from '../../app/config/flags.js';
import { SETTINGS } from '../../app/config/settings.js';
import { ERRORS } from '../../app/errors/table.js';
import { FleetCounters, addFleetMetrics } from '../../app/fleet/fleet-counters.js';
import { LIMITS } from '../../app/limits/table.js';
import { Counters } from '../../app/server/metrics.js';
import { createRegistry } from '../../app/server/metrics-registry.js';
import { markdownTable } from '../../bench/report/markdown.js';
import { KSM_ERRORS } from '../../ksm/errors.js';

/** Defaults of settings that depend on the machine. @type {Record<string, string>} */
const DESCRIBED = {
  dataDir:
    '`pitv` in `$XDG_STATE_HOME`, else `/var/lib/pitv` for root, `~/.local/state/pitv` for others',
};

/** Formats the settings. @returns {string} Markdown */
export function settings() {
  const rows = Object.entries(SETTINGS).map(([name, { defaultValue, range, help }]) => {
    const fallback = DESCRIBED[name] ?? (defaultValue && `\`${defaultValue}\``);
    const names = `\`--${flagName(name)}\`, \`${variableName(name)}\``;
    return [names, range, fallback, help];
  });
  return markdownTable(['Option, environment variable', 'Values', 'Default', 'Meaning'], rows);
}

/** @param {number} number */
const format = (number) =>
  Number.isInteger(number)
    ? number.toLocaleString('en-US')
    : `1 in ${Math.round(1 / number).toLocaleString('en-US')}`;

/** Formats the limits. @returns {string} Markdown */
export function limits() {
  /** @type {import('../../app/limits/rows.js').Limit[]} */
  const all = Object.values(LIMITS);
  const rows = all.map(({ bounds, value, unit, option, effect }) => {
    const amount =
      typeof value === 'number'
        ? `${format(value)} ${unit}`
        : value.perSecond < 1
          ? `${format(value.burst)} at once, then ${format(value.perSecond)} s`
          : `${format(value.perSecond)} ${unit} a second, ${format(value.burst)} at once`;
    return [bounds, amount, option ? `\`${option}\`` : '', effect];
  });
  return markdownTable(['Limit', 'Default', 'Option', 'At the limit, the client gets'], rows);
}

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

/** Formats the metrics, those of UDP, a fleet and KSM too. @returns {string} Markdown */
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

/** Formats the error codes. @returns {string} Markdown */
export function errors() {
  /** @type {[string, import('../../app/errors/table.js').ErrorRow][]} */
  const all = Object.entries({ ...ERRORS, ...KSM_ERRORS });
  const rows = all.map(([code, { problem, remedy, status, exit }]) => {
    const number = status ? String(status) : exit ? `exit code ${exit}` : '';
    return [`\`${code}\``, problem, remedy, number];
  });
  const head = ['Code', 'What was wrong', 'What to do', 'HTTP status or exit code'];
  return markdownTable(head, rows);
}
