/**
 * Uses each module of an installed package, and prints what came out as JSON. Arguments: the engines to try.
 */
import { once } from 'node:events';
import { Mailbox, PitvError, createEngine } from 'pitv/engine';
import { World, defineGame } from 'pitv/game';
import { createZygote } from 'pitv/zygote';

const names = process.argv.slice(2);
/** @type {Record<string, object>} */
const engines = {};
for (const name of names) {
  const engine = await createEngine(name, { maxWorkers: 1 });
  const sizes = { inputSlots: 1, frameBytes: 16, checkpointBytes: 0 };
  const worker = await engine.start(new URL('job.mjs', import.meta.url), { sizes, tickHz: 100 });
  const { reason } = await worker.exited;
  const isMailbox = worker.mailbox instanceof Mailbox;
  engines[name] = { reason, isMailbox, count: worker.mailbox.takeFrame()?.bytes[0] };
  await engine.close();
}

const answers = [];
if (names.includes('zygote')) {
  const module = new URL('square.mjs', import.meta.url);
  const zygote = await createZygote(module, { args: { factor: 2 } });
  const child = await zygote.fork({ of: 4 });
  answers.push(...(await once(child, 'message')));
  await zygote.close();
}

const error = await createEngine('none').catch((reason) => reason);
console.log(
  JSON.stringify({
    engines,
    answers,
    error: error instanceof PitvError && error.code,
    game: [typeof defineGame, typeof World],
  }),
);
