/** Describes the state of the TV at one moment as metrics of prom-client. */
import { OUTCOMES } from '../udp/datagram.js';

const KIB = 1024;

/**
 * @typedef {typeof import('prom-client')} PromClient
 * @typedef {import('prom-client').Registry} Registry
 * @typedef {import('../system/usage.js').Sample} Sample
 * @typedef {import('../engine/ksm.js').KsmSample} KsmSample
 * @typedef {[number | undefined] | [labels: Record<string, string>, value: number | null | undefined][]} Values one
 *   value, or any number of them with labels
 *
 * @typedef {object} State
 * @property {import('./metrics.js').Counters} counters
 * @property {{matches: number, players: number, screens: number, pads: number, wrongCodes: number}} counts
 * @property {import('./measurements.js').Delay} loopDelay
 * @property {Pick<Sample, 'main' | 'workers' | 'processes'> & {ksm?: KsmSample}} sample
 * @property {import('../udp/pads.js').UdpPads} [udp] when the TV listens for datagrams
 * @property {(write: Writer) => void} [addMore] adds the metrics of the TV's home
 *
 * @typedef {object} Writer adds metrics to a registry
 * @property {(name: string, help: string, values: Values, labelNames?: string[]) => void} counter
 * @property {(name: string, help: string, values: Values, labelNames?: string[]) => void} gauge
 */

/**
 * Makes a registry with one value of each metric. It is used for one scrape only, so what has gone since the last one,
 * as a worker, is not in it.
 * @param {PromClient} client @param {State} state @returns {Registry}
 */
export function createRegistry(client, { counters, counts, loopDelay, sample, udp, addMore }) {
  const registry = new client.Registry();
  const write = writerFor(client, registry);
  addCounters(write, counters);
  registry.registerMetric(/** @type {any} */ (latencyMetric(counters.latency)));
  addCounts(write, counts, loopDelay);
  addProcesses(write, sample);
  addWorkers(write, sample.workers);
  if (udp) addDatagrams(write, udp);
  addMore?.(write);
  if (sample.ksm) addKsm(write, sample.ksm);
  return registry;
}

/** @param {PromClient} client @param {Registry} registry @returns {Writer} */
function writerFor({ Counter, Gauge }, registry) {
  const registers = [registry];
  return {
    counter(name, help, values, labelNames = []) {
      const counter = new Counter({ name: `pitv_${name}`, help, labelNames, registers });
      for (const value of values) {
        if (Array.isArray(value)) counter.inc(value[0], value[1] ?? 0);
        else counter.inc(value ?? 0);
      }
    },
    gauge(name, help, values, labelNames = []) {
      const gauge = new Gauge({ name: `pitv_${name}`, help, labelNames, registers });
      for (const value of values) {
        if (!Array.isArray(value)) gauge.set(value ?? 0);
        else if (Number.isFinite(value[1])) gauge.set(value[0], Number(value[1]));
      }
    },
  };
}

/** @param {string} label @param {Iterable<[string, number]>} values by name @returns {Values} */
const byName = (label, values) => [...values].map(([name, value]) => [{ [label]: name }, value]);

/** @param {Writer} write @param {import('./metrics.js').Counters} counters */
function addCounters({ counter }, counters) {
  counter('frames_sent_total', 'Frames sent to screens', [counters.framesSent]);
  counter('frames_skipped_total', 'Frames not sent to slow screens', [counters.framesSkipped]);
  counter('bytes_sent_total', 'Payload bytes sent over websockets', [counters.bytesSent]);
  counter('bytes_received_total', 'Payload bytes received', [counters.bytesReceived]);
  counter('messages_received_total', 'Messages received', [counters.messages]);
  const refused = 'Messages, requests and connections refused or ignored';
  counter('messages_dropped_total', refused, byName('kind', counters.drops), ['kind']);
  const failed = byName('reason', counters.restarts);
  counter('restarts_total', 'Workers that failed', failed, ['reason']);
  const ended = byName('reason', counters.ended);
  counter('matches_ended_total', 'Matches that ended', ended, ['reason']);
}

/**
 * Returns a metric with counts that were made without prom-client; a Histogram of prom-client counts by itself.
 * @param {import('./measurements.js').LatencyMeter} latency
 */
function latencyMetric({ bounds, counts, sum }) {
  const name = 'pitv_input_to_frame_seconds';
  const about = {
    name,
    type: 'histogram',
    aggregator: 'sum',
    help: 'Time from the arrival of a pad message to the sending of the first frame that shows it',
  };
  let count = 0;
  const values = [...bounds, '+Inf'].map((le, i) => ({
    metricName: `${name}_bucket`,
    labels: { le },
    value: (count += counts[i]),
  }));
  const totals = [
    { metricName: `${name}_sum`, labels: {}, value: sum },
    { metricName: `${name}_count`, labels: {}, value: count },
  ];
  return {
    ...about,
    labelNames: [],
    get: async () => ({ ...about, values: [...values, ...totals] }),
  };
}

/** @param {Writer} write @param {State['counts']} counts @param {State['loopDelay']} delay */
function addCounts({ gauge }, counts, delay) {
  /** @type {[string, number][]} */
  const quantiles = [
    ['0.5', delay.p50 / 1000],
    ['0.99', delay.p99 / 1000],
    ['1', delay.max / 1000],
  ];
  const late = 'Delay of the main event loop, last 15 s';
  gauge('event_loop_delay_seconds', late, byName('quantile', quantiles), ['quantile']);
  gauge('matches', 'Running matches', [counts.matches]);
  gauge('players', 'Players, with disconnected ones whose seat is kept', [counts.players]);
  const roles = Object.entries({ screen: counts.screens, pad: counts.pads });
  gauge('clients', 'Connections', byName('role', roles), ['role']);
  gauge('wrong_codes', 'Wrong join codes since the start', [counts.wrongCodes]);
}

/** @param {Writer} write @param {State['sample']} sample */
function addProcesses({ gauge }, { main, processes }) {
  /** @param {'unreclaimableKib' | 'pssKib'} part @returns {Values} */
  const bytes = (part) =>
    processes.map(({ name, pid, game, command, memory }) => [
      { process: name, name: game ?? command, pid: String(pid) },
      memory[part] * KIB,
    ]);
  const whole = 'of a process of the TV; the sum is that of the whole TV';
  const unreclaimable = `Anonymous and shared memory ${whole}`;
  const labels = ['process', 'name', 'pid'];
  gauge('process_unreclaimable_bytes', unreclaimable, bytes('unreclaimableKib'), labels);
  gauge('process_pss_bytes', `Proportional set size ${whole}`, bytes('pssKib'), labels);
  gauge('main_pss_bytes', 'Proportional set size of the main process', [(main.pssKib ?? 0) * KIB]);
  gauge('main_uss_bytes', 'Unique set size of the main process', [(main.ussKib ?? 0) * KIB]);
  gauge('main_cpu_percent', 'CPU time of the main process, percent of a core', [main.cpu]);
}

/** @param {Writer} write @param {Sample['workers']} workers */
function addWorkers({ gauge }, workers) {
  /** @param {string} name @param {string} help @param {(worker: Sample['workers'][number]) => number | null} of */
  const each = (name, help, of) =>
    gauge(
      `worker_${name}`,
      help,
      workers.map((worker) => [
        { worker: String(worker.id), game: worker.name, pid: String(worker.pid) },
        of(worker),
      ]),
      ['worker', 'game', 'pid'],
    );
  const bytes = (/** @type {number | null} */ kib) => (kib === null ? null : kib * KIB);
  each('pss_bytes', "Proportional set size of the worker's process", ({ pssKib }) => bytes(pssKib));
  each('uss_bytes', "Unique set size of the worker's process", ({ ussKib }) => bytes(ussKib));
  each('cpu_percent', 'CPU time of the worker, percent of a core', ({ cpu }) => cpu);
  each('ticks', 'Ticks of the match', ({ ticks }) => ticks);
  each('late_ticks', 'Ticks that began more than one tick late', ({ lateTicks }) => lateTicks);
  each('step_seconds', 'Duration of the last step', ({ stepMicros }) => stepMicros / 1e6);
}

/** @param {Writer} write @param {import('../udp/pads.js').UdpPads} pads */
function addDatagrams({ counter, gauge }, pads) {
  const { receiver } = pads;
  const { outcomes: counts, overflows } = receiver?.counters() ?? { outcomes: [], overflows: 0 };
  const outcomes = counts.map((count, i) => /** @type {[string, number]} */ ([OUTCOMES[i], count]));
  const accepted = 'Datagrams from pads: accepted, or the reason why they were not';
  counter('udp_datagrams_total', accepted, byName('outcome', outcomes), ['outcome']);
  const dropped = 'Datagrams that the kernel dropped because the receive buffer was full';
  counter('udp_overflows_total', dropped, [overflows]);
  gauge('udp_pads', 'Pads with a key for datagrams', [pads.count]);
}

/** @param {Writer} write @param {KsmSample} ksm */
function addKsm({ gauge }, ksm) {
  const { level, scanning, savedBytes, metadataBytes, profitBytes, ksmdCpuMs, workers } = ksm;
  const help = '1 for the level at which workers are launched';
  gauge('ksm_level', help, [[{ level }, 1]], ['level']);
  gauge('ksm_scanning', '1 while ksmd scans', [Number(scanning)]);
  gauge('ksm_saved_bytes', 'Memory that merging saves on the whole machine', [savedBytes]);
  gauge('ksm_metadata_bytes', "Memory that ksmd's own records take", [metadataBytes]);
  gauge('ksm_profit_bytes', 'Saved memory minus metadata, as counted by the kernel', [profitBytes]);
  gauge('ksm_cpu_seconds', 'CPU time of ksmd since boot', [(ksmdCpuMs ?? 0) / 1000]);
  /** @param {(worker: KsmSample['workers'][number]) => number | undefined} of @returns {Values} */
  const each = (of) => workers.map((worker) => [{ pid: String(worker.pid) }, of(worker)]);
  const pages = each(({ mergingPages }) => mergingPages);
  gauge('worker_ksm_pages', "Merged pages in the worker's process", pages, ['pid']);
  const profit = each((worker) => worker.profitBytes);
  const saved = "Saved memory minus metadata in the worker's process";
  gauge('worker_ksm_profit_bytes', saved, profit, ['pid']);
}
