/**
 * A main process with matches, for chaos.long.test.js. A match that crashes resumes its checkpoint. Reports its
 * processes on stdout, and stops all matches when stdin ends.
 */
import { createEngine } from '../../../app/engine/index.js';
import { sizes } from './count.js';

const MATCHES = 4;
const job = new URL('./count.js', import.meta.url);

/** @param {object} message */
const report = (message) => console.log(JSON.stringify(message));
const ignore = () => {};
/** @type {any} */
const log = {
  info: (/** @type {any} */ about, /** @type {string} */ text) => {
    if (text === 'zygote ready') report({ zygote: about.pid });
  },
  warn: ignore,
  error: (/** @type {any} */ about) => report({ error: String(about.err) }),
};

const engine = await createEngine('zygote', { log, hangMs: 60_000 });
/** @type {Map<number, import('../../../app/engine/index.js').WorkerHandle>} */
const matches = new Map();
let restarts = 0;
let ending = false;

/** @param {number} match @param {import('../../../app/engine/mailbox/mailbox.js').Mailbox} [mailbox] */
async function play(match, mailbox) {
  const name = `match ${match}`;
  const worker = await engine.start(job, mailbox ? { mailbox, name } : { sizes, name });
  matches.set(match, worker);
  report({ worker: worker.pid });
  worker.on('exit', ({ reason }) => {
    matches.delete(match);
    if (ending) return;
    if (reason !== 'crashed') report({ error: `match ${match} ended: ${reason}` });
    restarts++;
    play(match, worker.mailbox).catch((error) => {
      if (!ending) report({ error: error.message });
    });
  });
}

await Promise.all(Array.from({ length: MATCHES }, (_, match) => play(match)));
report({ ready: true });

process.stdin.resume().on('end', async () => {
  // Waits until every match ticks, also those whose worker has just been killed.
  const current = () => [...matches.values()];
  let workers = current();
  let ticks = workers.map(({ mailbox }) => mailbox.tick);
  while (workers.length < MATCHES || workers.some(({ mailbox }, i) => mailbox.tick <= ticks[i])) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    if (current().every((worker, i) => worker === workers[i])) continue;
    workers = current();
    ticks = workers.map(({ mailbox }) => mailbox.tick);
  }
  ending = true;
  const exits = await Promise.all(workers.map((worker) => worker.stop()));
  await engine.close();
  report({ restarts, ended: exits.map(({ reason }) => reason) });
});
