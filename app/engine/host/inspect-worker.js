/**
 * Has a worker take a profile or a snapshot of itself. It is asked by the control word of its mailbox,
 * which it looks at anyway, and finds what is wanted in a file: so no engine needs a channel for it, and
 * a worker that is never asked pays nothing.
 */
import { readFile, rm, writeFile } from 'node:fs/promises';
import { PitvError } from '../../errors.js';

const POLL_MS = 100;
/** Beyond the seconds of a CPU profile; a heap snapshot on a Pi 1 takes long. */
const MAX_WAIT_MS = 60_000;

/** @typedef {import('./handle.js').WorkerHandle} WorkerHandle */

/**
 * Meanwhile the worker may stand still without being called hung.
 * @param {WorkerHandle} worker @param {import('../worker/capture-inspection.js').Inspection} inspection
 * @throws {PitvError} PITV_INSPECT_UNSUPPORTED, PITV_INSPECT_BUSY, PITV_INSPECT_FAILED, PITV_PROFILE_SIZE
 */
export async function inspectWorker(worker, inspection) {
  const { inspectBase: base } = worker;
  if (!base) {
    throw new PitvError('PITV_INSPECT_UNSUPPORTED', 'This engine was made without inspectDir.');
  }
  if (worker.inspecting) {
    throw new PitvError('PITV_INSPECT_BUSY', `Worker ${worker.id} is being looked into already.`);
  }
  worker.inspecting = true;
  try {
    await rm(`${base}.answer`, { force: true });
    await writeFile(`${base}.request`, JSON.stringify(inspection), { mode: 0o600 });
    if (!worker.running || !worker.mailbox.requestInspection()) throw ended(worker);
    const said = await waitForAnswer(worker, base, inspection.seconds * 1000 + MAX_WAIT_MS);
    if (said.message) throw new PitvError(said.code ?? 'PITV_INSPECT_FAILED', said.message);
  } catch (error) {
    await rm(inspection.path, { force: true });
    throw error;
  } finally {
    worker.mailbox.clearInspection(); // or it would begin when nobody waits any more
    worker.inspecting = false;
    for (const end of ['request', 'answer', 'tmp']) await rm(`${base}.${end}`, { force: true });
  }
}

/** @param {WorkerHandle} worker @param {string} base @param {number} withinMs @returns {Promise<any>} */
async function waitForAnswer(worker, base, withinMs) {
  const late = performance.now() + withinMs;
  let gone = false;
  worker.exited.then(() => (gone = true));
  for (;;) {
    try {
      return JSON.parse(await readFile(`${base}.answer`, 'utf8'));
    } catch (error) {
      if (Reflect.get(Object(error), 'code') !== 'ENOENT') throw error;
    }
    if (gone) throw ended(worker);
    if (performance.now() > late) {
      throw new PitvError('PITV_INSPECT_FAILED', `Worker ${worker.id} does not answer.`);
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** @param {WorkerHandle} worker */
function ended({ id, name }) {
  return new PitvError('PITV_INSPECT_FAILED', `Worker ${id} (${name}) has ended meanwhile.`);
}
