/** Uses each module of an installed package, and prints what came out as JSON. Arguments: the engines to try. */
import { once } from 'node:events';
import { Mailbox, PitvError, createEngine } from 'pitv/engine';
import { World, defineGame } from 'pitv/game';
import { startChild } from 'pitv/pipe';
import { Pool } from 'pitv/pool';
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

/** @type {Record<string, unknown>} */
const pools = {};
for (const engine of names) {
  const filename = new URL('double.mjs', import.meta.url);
  const options = { filename, engine: /** @type {any} */ (engine), maxThreads: 1 };
  const pool = new Pool(options);
  const bytes = pool.allocate(4).fill(engine.length);
  pools[engine] = [...(await pool.run(bytes))].concat([...(await pool.run(Buffer.from([1, 2])))]);
  await pool.close();
}

const child = await startChild('sh', ['-c', 'echo piped >&2']);
await child.done();

const answers = [];
if (names.includes('zygote')) {
  const module = new URL('square.mjs', import.meta.url);
  const zygote = await createZygote(module, { args: { factor: 2 } });
  const fork = await zygote.fork({ of: 4 });
  answers.push(...(await once(fork, 'message')));
  await zygote.close();
}

const error = await createEngine('none').catch((reason) => reason);
console.log(
  JSON.stringify({
    engines,
    pools,
    answers,
    piped: child.stderrTail,
    error: error instanceof PitvError && error.code,
    game: [typeof defineGame, typeof World],
  }),
);
