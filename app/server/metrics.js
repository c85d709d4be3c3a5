/** GET /metrics, in the format of Prometheus. Nothing in it is secret. */
import { Counter, Gauge, Histogram, Registry } from './prometheus.js';
import { KsmGauges } from './ksm-gauges.js';

const KIB = 1024;
/** Seconds; a tick is 0.0167. */
const LATENCY_BUCKETS = [0.004, 0.008, 0.012, 0.0167, 0.025, 0.0334, 0.05, 0.1, 0.25, 1];
/** Reading every process's smaps walks page tables, so it is done once a second at most. */
const SAMPLE_MS = 1000;

/**
 * @typedef {import('../inspector/usage.js').Sample} Sample
 *
 * @typedef {object} Sources
 * @property {() => Promise<Sample>} sample
 * @property {() => {matches: number, players: number, screens: number, pads: number, wrongCodes: number}} counts
 * @property {() => import('./loop-delay.js').Delay} loopDelay
 */

/** The numbers that the hub counts. */
export class Counters {
  /** @param {import('prom-client').Registry} registry */
  constructor(registry) {
    const registers = [registry];
    /** @param {string} name @param {string} help @param {string[]} [labelNames] */
    const counter = (name, help, labelNames = []) =>
      new Counter({ name, help, labelNames, registers });
    this.framesSent = counter('pitv_frames_sent_total', 'Frames handed to screens');
    this.framesSkipped = counter('pitv_frames_skipped_total', 'Frames a slow screen did not get');
    this.bytesSent = counter('pitv_bytes_sent_total', 'Payload bytes sent over websockets');
    this.bytesReceived = counter('pitv_bytes_received_total', 'Payload bytes received');
    this.messages = counter('pitv_messages_received_total', 'Messages received');
    this.drops = counter('pitv_messages_dropped_total', 'What was refused or ignored', ['kind']);
    this.restarts = counter('pitv_restarts_total', 'Workers that failed', ['reason']);
    this.ended = counter('pitv_matches_ended_total', 'Matches that ended', ['reason']);
    this.latency = new Histogram({
      name: 'pitv_input_to_frame_seconds',
      help: 'From the arrival of a pad message until the first frame that shows it was sent',
      buckets: LATENCY_BUCKETS,
      registers,
    });
  }

  /** @param {number} sent @param {number} skipped @param {number} bytes */
  frames(sent, skipped, bytes) {
    if (sent > 0) this.framesSent.inc(sent);
    if (skipped > 0) this.framesSkipped.inc(skipped);
    if (bytes > 0) this.bytesSent.inc(bytes);
  }
  /** @param {number} bytes */
  sent(bytes) {
    this.bytesSent.inc(bytes);
  }
  /** @param {number} bytes */
  received(bytes) {
    this.messages.inc();
    this.bytesReceived.inc(bytes);
  }
  /** @param {string} kind one of a small fixed set: each is a time series */
  dropped(kind) {
    this.drops.inc({ kind });
  }
}

export class Metrics {
  registry = new Registry();
  counters = new Counters(this.registry);
  /** @type {KsmGauges | undefined} */
  #ksm;
  /** @type {Promise<Sample> | undefined} */
  #sample;
  #sampledAt = -Infinity;

  /** @param {Sources} sources */
  constructor(sources) {
    this.sources = sources;
    this.gauges = this.#makeGauges();
  }

  #makeGauges() {
    const registers = [this.registry];
    /** @param {string} name @param {string} help @param {string[]} [labelNames] */
    const gauge = (name, help, labelNames = []) =>
      new Gauge({ name: `pitv_${name}`, help, labelNames, registers });
    const worker = ['worker', 'game', 'pid'];
    return {
      loop: gauge('event_loop_delay_seconds', 'Lateness of the main thread, last 15 s', [
        'quantile',
      ]),
      matches: gauge('matches', 'Matches that run'),
      players: gauge('players', 'Players who are in, dropped ones in their grace time too'),
      clients: gauge('clients', 'Connections', ['role']),
      wrongCodes: gauge('wrong_codes', 'Wrong join codes since the start'),
      mainPss: gauge('main_pss_bytes', 'Proportional set size of the main process'),
      mainUss: gauge('main_uss_bytes', 'Unique set size of the main process'),
      mainCpu: gauge('main_cpu_percent', 'CPU of the main process, percent of a core'),
      pss: gauge('worker_pss_bytes', "Proportional set size of the worker's process", worker),
      uss: gauge('worker_uss_bytes', "Unique set size of the worker's process", worker),
      cpu: gauge('worker_cpu_percent', 'CPU, percent of a core', worker),
      ticks: gauge('worker_ticks', 'Ticks of the match so far', worker),
      late: gauge('worker_late_ticks', 'Ticks that began more than one tick too late', worker),
      step: gauge('worker_step_seconds', 'How long the last step took', worker),
    };
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

  /** @returns {Promise<string>} the text of a scrape */
  async text() {
    const { main, workers, ksm } = await this.sample();
    const { gauges } = this;
    const counts = this.sources.counts();
    const delay = this.sources.loopDelay();
    gauges.loop.set({ quantile: '0.5' }, delay.p50 / 1000);
    gauges.loop.set({ quantile: '0.99' }, delay.p99 / 1000);
    gauges.loop.set({ quantile: '1' }, delay.max / 1000);
    gauges.matches.set(counts.matches);
    gauges.players.set(counts.players);
    gauges.clients.set({ role: 'screen' }, counts.screens);
    gauges.clients.set({ role: 'pad' }, counts.pads);
    gauges.wrongCodes.set(counts.wrongCodes);
    gauges.mainPss.set((main.pssKib ?? 0) * KIB);
    gauges.mainUss.set((main.ussKib ?? 0) * KIB);
    gauges.mainCpu.set(main.cpu);
    for (const gauge of [
      gauges.pss,
      gauges.uss,
      gauges.cpu,
      gauges.ticks,
      gauges.late,
      gauges.step,
    ]) {
      gauge.reset(); // workers come and go
    }
    for (const worker of workers) {
      const labels = { worker: String(worker.id), game: worker.name, pid: String(worker.pid) };
      if (worker.pssKib !== null) gauges.pss.set(labels, worker.pssKib * KIB);
      if (worker.ussKib !== null) gauges.uss.set(labels, worker.ussKib * KIB);
      gauges.cpu.set(labels, worker.cpu);
      gauges.ticks.set(labels, worker.ticks);
      gauges.late.set(labels, worker.lateTicks);
      gauges.step.set(labels, worker.stepMicros / 1e6);
    }
    if (ksm) {
      this.#ksm ??= new KsmGauges(this.registry);
      this.#ksm.set(ksm);
    }
    return this.registry.metrics();
  }
}
