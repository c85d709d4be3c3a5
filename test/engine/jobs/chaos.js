/**
 * A main process with matches, for everything to be killed at random. A match that crashes goes on
 * from its checkpoint. Says on stdout what it has, and ends in good order when its stdin does.
 */
import { createEngine } from '../../../app/engine/index.js';
import { sizes } from './count.js';

const MATCHES = 4;
const job = new URL('./count.js', import.meta.url);

/** @param {object} message */
const say = (message) => console.log(JSON.stringify(message));
const ignore = () => {};
/** @type {any} */
const log = {
  info: (/** @type {any} */ about, /** @type {string} */ text) => {
    if (text === 'zygote ready') say({ zygote: about.pid });
  },
  warn: ignore,
  error: (/** @type {any} */ about) => say({ error: String(about.err) }),
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
  say({ worker: worker.pid });
  worker.on('exit', ({ reason }) => {
    matches.delete(match);
    if (ending) return;
    if (reason !== 'crashed') say({ error: `match ${match} ended: ${reason}` });
    restarts++;
    play(match, worker.mailbox).catch((error) => {
      if (!ending) say({ error: error.message });
    });
  });
}

await Promise.all(Array.from({ length: MATCHES }, (_, match) => play(match)));
say({ ready: true });

process.stdin.resume().on('end', async () => {
  // Every match is alive: its ticks go on, and it is not one that was just killed.
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
  say({ restarts, ended: exits.map(({ reason }) => reason) });
});
