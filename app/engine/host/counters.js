/** A worker's figures, put together from its mailbox and what the system tells of it. */

/** @type {WeakMap<import('./handle.js').WorkerHandle, {at: number, cpuMs: number}>} */
const lastSeen = new WeakMap();

/**
 * @param {import('./handle.js').WorkerHandle} worker
 * @param {{pssKib: number, ussKib: number, rssKib: number} | undefined} memory
 * @param {number} cpuMs so far
 * @returns {import('./engine.js').WorkerStats}
 */
export function counters(worker, memory, cpuMs) {
  const { mailbox } = worker;
  const at = performance.now();
  const last = lastSeen.get(worker) ?? { at: worker.startedAt, cpuMs: 0 };
  lastSeen.set(worker, { at, cpuMs });
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
