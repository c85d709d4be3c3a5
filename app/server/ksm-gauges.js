/** What memory merging brings, on /metrics; only where workers are marked for it. */
import { Gauge } from './prometheus.js';

/**
 * @typedef {object} KsmSample
 * @property {string} level at which the workers were launched
 * @property {boolean} scanning
 * @property {number} savedBytes on the whole machine, like the next two
 * @property {number} metadataBytes
 * @property {number} profitBytes
 * @property {number | undefined} ksmdCpuMs
 * @property {{pid: number, mergingPages: number | undefined, profitBytes: number | undefined}[]} workers
 */

export class KsmGauges {
  #gauges;

  /** @param {import('prom-client').Registry} registry */
  constructor(registry) {
    const registers = [registry];
    /** @param {string} name @param {string} help @param {string[]} [labelNames] */
    const gauge = (name, help, labelNames = []) =>
      new Gauge({ name: `pitv_${name}`, help, labelNames, registers });
    this.#gauges = {
      level: gauge('ksm_level', 'The level at which workers are launched: 1', ['level']),
      scanning: gauge('ksm_scanning', '1: ksmd scans'),
      saved: gauge('ksm_saved_bytes', 'Memory that merging saves on this machine'),
      metadata: gauge('ksm_metadata_bytes', "Memory that ksmd's own records take"),
      profit: gauge('ksm_profit_bytes', "Saved memory less metadata, by the kernel's account"),
      cpu: gauge('ksm_cpu_seconds', 'CPU time of ksmd since boot'),
      worker: gauge('worker_ksm_pages', "Merged pages in the worker's process", ['pid']),
      workerProfit: gauge('worker_ksm_profit_bytes', 'What merging brings in it', ['pid']),
    };
  }

  /** @param {KsmSample} sample */
  set(sample) {
    const gauges = this.#gauges;
    gauges.level.set({ level: sample.level }, 1);
    gauges.scanning.set(Number(sample.scanning));
    gauges.saved.set(sample.savedBytes);
    gauges.metadata.set(sample.metadataBytes);
    gauges.profit.set(sample.profitBytes);
    if (sample.ksmdCpuMs !== undefined) gauges.cpu.set(sample.ksmdCpuMs / 1000);
    gauges.worker.reset(); // workers come and go
    gauges.workerProfit.reset();
    for (const { pid, mergingPages, profitBytes } of sample.workers) {
      if (mergingPages !== undefined) gauges.worker.set({ pid: String(pid) }, mergingPages);
      if (profitBytes !== undefined) gauges.workerProfit.set({ pid: String(pid) }, profitBytes);
    }
  }
}
