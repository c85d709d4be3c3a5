/** Uses pitv's engines as pools of the dispatch scenario. The engines are made for long jobs, not for tasks. */
import { once } from 'node:events';
import { createEngine } from '../../../app/engine/index.js';

/** @typedef {import('./pools.js').OpenPool} OpenPool */

/** Rate at which the main thread polls for answers, and a worker for tasks. */
const TICK_HZ = 1000;
const WAITING_JOB = new URL('mailbox-job.js', import.meta.url);
const ONCE_JOB = new URL('once-job.js', import.meta.url);
/** A frame begins with the number of the task that it answers. */
const HEAD_BYTES = 4;
const WORD_BYTES = 4;
/** A mailbox has 256 input slots of one word. */
export const MAX_INPUT_BYTES = 256 * WORD_BYTES;

/** Makes a queue that runs one job at a time. */
function makeQueue() {
  /** @type {Promise<unknown>} */
  let last = Promise.resolve();
  return (/** @type {() => Promise<unknown>} */ job) => (last = last.then(job));
}

/** Opens workers that poll their mailboxes for tasks. @param {string} name @returns {OpenPool} */
export const mailboxes =
  (name) =>
  async ({ bytes, workers: count }) => {
    const engine = await createEngine(name, { modules: [WAITING_JOB] });
    const inputSlots = Math.max(1, bytes / WORD_BYTES);
    const sizes = { inputSlots, frameBytes: bytes + HEAD_BYTES, checkpointBytes: 0 };
    const options = { sizes, options: { bytes, inputSlots }, tickHz: TICK_HZ };
    const starting = Array.from({ length: count }, () => engine.start(WAITING_JOB, options));
    const workers = (await Promise.all(starting)).map(({ mailbox }) => {
      return { mailbox, task: 0, queue: makeQueue() };
    });
    let turn = 0;
    return {
      run(payload) {
        const words = payload
          ? new Int32Array(payload.buffer, payload.byteOffset, inputSlots)
          : new Int32Array(inputSlots);
        const worker = workers[turn++ % workers.length];
        const { mailbox, queue } = worker;
        return queue(async () => {
          // The worker reads the task when the sequence number of the last slot changes.
          words.forEach((word, slot) => (worker.task = mailbox.writeInput(slot, word)));
          for (;;) {
            await new Promise((resolve) => setTimeout(resolve, 1000 / TICK_HZ));
            const frame = mailbox.takeFrame()?.bytes;
            if (!frame || frame.length < HEAD_BYTES) continue;
            const [task] = new Uint32Array(frame.buffer, frame.byteOffset, 1);
            if (task === worker.task) return frame.slice(HEAD_BYTES);
          }
        });
      },
      close: () => engine.close(),
    };
  };

/** Opens a pool that starts a new worker for each task. @param {string} name @returns {OpenPool} */
export const freshWorkers =
  (name) =>
  async ({ bytes }) => {
    const engine = await createEngine(name, { modules: [ONCE_JOB] });
    const sizes = { inputSlots: 1, frameBytes: Math.max(8, bytes), checkpointBytes: 0 };
    return {
      async run(payload) {
        const worker = await engine.start(ONCE_JOB, { sizes, options: { payload } });
        await once(worker, 'exit');
        const answer = worker.mailbox.takeFrame()?.bytes.slice();
        engine.freeMailbox(worker.mailbox);
        return answer;
      },
      close: () => engine.close(),
    };
  };
