/** pitv's engines as pools of the dispatch scenario. They are made for long jobs, not for tasks. */
import { once } from 'node:events';
import { createEngine } from '../../../app/engine/index.js';

/** @typedef {import('./pools.js').OpenPool} OpenPool */

/** How often the main thread looks for an answer, and a worker for a task. */
const TICK_HZ = 1000;
const WAITING_JOB = new URL('mailbox-job.js', import.meta.url);
const ONCE_JOB = new URL('once-job.js', import.meta.url);
/** In bytes of a frame: the number of the task that it answers. */
const HEAD_BYTES = 4;

/** One after the other. */
function makeQueue() {
  /** @type {Promise<unknown>} */
  let last = Promise.resolve();
  return (/** @type {() => Promise<unknown>} */ job) => (last = last.then(job));
}

/**
 * Workers that wait for tasks in their mailboxes.
 * @param {string} name @param {number} count @returns {OpenPool}
 */
export const mailboxes = (name, count) => async (bytes) => {
  const engine = await createEngine(name, { modules: [WAITING_JOB] });
  const sizes = { inputSlots: 1, frameBytes: bytes + HEAD_BYTES, checkpointBytes: 0 };
  const options = { sizes, options: { bytes }, tickHz: TICK_HZ };
  const starting = Array.from({ length: count }, () => engine.start(WAITING_JOB, options));
  const workers = (await Promise.all(starting)).map(({ mailbox }) => {
    return { mailbox, task: 0, queue: makeQueue() };
  });
  let turn = 0;
  return {
    run() {
      const worker = workers[turn++ % workers.length];
      const { mailbox, queue } = worker;
      return queue(async () => {
        worker.task = (worker.task + 1) | 0;
        mailbox.writeInput(0, worker.task);
        for (;;) {
          await new Promise((resolve) => setTimeout(resolve, 1000 / TICK_HZ));
          const bytesOf = mailbox.takeFrame()?.bytes;
          if (!bytesOf || bytesOf.length < HEAD_BYTES) continue;
          const [answers] = new Int32Array(bytesOf.buffer, bytesOf.byteOffset, 1);
          if (answers === worker.task) return bytesOf.slice(HEAD_BYTES);
        }
      });
    },
    close: () => engine.close(),
  };
};

/** A worker of its own for each task. @param {string} name @returns {OpenPool} */
export const freshWorkers = (name) => async (bytes) => {
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
