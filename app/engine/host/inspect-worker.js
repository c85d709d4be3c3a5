/**
 * Requests a CPU profile or a heap snapshot from a worker. The request is a file, announced by the control word of the
 * mailbox, which the worker reads at every tick anyway. So no engine needs another channel, and a worker without a
 * request does no extra work.
 */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { PitvError } from '../../errors.js';

const POLL_MS = 100;
/** Added to the duration of a CPU profile. A heap snapshot takes long on a Raspberry Pi 1. */
const ANSWER_TIMEOUT_MS = 60_000;

/** @typedef {import('./handle.js').WorkerHandle} WorkerHandle */

/**
 * Has a worker write a profile or a heap snapshot. The supervisor does not check the worker meanwhile.
 * @param {WorkerHandle} worker @param {import('../worker/capture-inspection.js').Inspection} inspection
 * @throws {PitvError} PITV_INSPECT_UNSUPPORTED, PITV_INSPECT_BUSY, PITV_INSPECT_FAILED, PITV_PROFILE_SIZE
 */
export async function inspectWorker(worker, inspection) {
  const { inspectBase: base } = worker;
  if (!base) {
    const sentence = 'The worker is locked, or its engine was created without inspectDir.';
    throw new PitvError('PITV_INSPECT_UNSUPPORTED', sentence);
  }
  if (worker.inspecting) {
    throw new PitvError('PITV_INSPECT_BUSY', `Worker ${worker.id} is being inspected already.`);
  }
  worker.inspecting = true;
  try {
    await rm(`${base}.answer`, { force: true });
    await writeFile(`${base}.request`, JSON.stringify(inspection), { mode: 0o600 });
    if (!worker.running || !worker.mailbox.requestInspection()) throw ended(worker);
    const answer = await waitForAnswer(worker, base, inspection.seconds * 1000 + ANSWER_TIMEOUT_MS);
    if (answer.message) throw new PitvError(answer.code ?? 'PITV_INSPECT_FAILED', answer.message);
  } catch (error) {
    await rm(inspection.path, { force: true });
    throw error;
  } finally {
    worker.mailbox.clearInspection(); // a late worker must not start it after this function has given up
    worker.inspecting = false;
    for (const suffix of ['request', 'answer', 'tmp'])
      await rm(`${base}.${suffix}`, { force: true });
  }
}

/**
 * Polls for the answer file.
 * @param {WorkerHandle} worker @param {string} base @param {number} timeoutMs @returns {Promise<any>}
 */
async function waitForAnswer(worker, base, timeoutMs) {
  const deadline = performance.now() + timeoutMs;
  let exited = false;
  worker.exited.then(() => (exited = true));
  for (;;) {
    try {
      return JSON.parse(await readFile(`${base}.answer`, 'utf8'));
    } catch (error) {
      if (Reflect.get(Object(error), 'code') !== 'ENOENT') throw error;
    }
    if (exited) throw ended(worker);
    if (performance.now() > deadline) {
      throw new PitvError('PITV_INSPECT_FAILED', `Worker ${worker.id} did not answer.`);
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** @param {WorkerHandle} worker */
function ended({ id, name }) {
  return new PitvError('PITV_INSPECT_FAILED', `Worker ${id} (${name}) has ended.`);
}
