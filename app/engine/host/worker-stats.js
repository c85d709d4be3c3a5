/** Combines the counters in a worker's mailbox with the memory and CPU time that the system reports. */

/** @type {WeakMap<import('./handle.js').WorkerHandle, {at: number, cpuMs: number}>} */
const previous = new WeakMap();

/**
 * Returns the stats of a worker.
 * @param {import('./handle.js').WorkerHandle} worker
 * @param {{pssKib: number, ussKib: number, rssKib: number} | undefined} memory
 * @param {number} cpuMs since the worker started
 * @returns {import('./launcher.js').WorkerStats}
 */
export function collectWorkerStats(worker, memory, cpuMs) {
  const { mailbox } = worker;
  const at = performance.now();
  const last = previous.get(worker) ?? { at: worker.startedAt, cpuMs: 0 };
  previous.set(worker, { at, cpuMs });
  return {
    id: worker.id,
    name: worker.name,
    pid: worker.pid,
    threadId: worker.threadId,
    pssKib: memory?.pssKib ?? null,
    ussKib: memory?.ussKib ?? null,
    rssKib: memory?.rssKib ?? null,
    cpu: (100 * (cpuMs - last.cpuMs)) / Math.max(1, at - last.at),
    cpuMs,
    heapKib: mailbox.memoryKib,
    ticks: mailbox.tick,
    lateTicks: mailbox.lateTicks,
    stepMicros: mailbox.stepMicros,
    stepMicrosMax: mailbox.takeStepMicrosMax(),
  };
}
