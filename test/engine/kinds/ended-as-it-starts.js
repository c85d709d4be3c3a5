/** Starts threads and ends them at random moments of their start. Prints how many; a crash ends this process. */
import { createEngine } from '../../../app/engine/index.js';
import { countSizes as sizes, jobUrl } from '../helpers.js';

const LANES = 4;
/** A start takes about this long. */
const START_MS = 90;

let left = Number(process.argv[2]);
const engine = await createEngine('thread', { maxWorkers: LANES });
let ended = 0;

async function startAndEnd() {
  while (left-- > 0) {
    const signal = AbortSignal.timeout(Math.ceil(Math.random() * START_MS));
    try {
      const worker = await engine.start(jobUrl('count'), { sizes, signal });
      await worker.exited;
      engine.freeMailbox(worker.mailbox);
    } catch {
      // It was ended before it was ready.
    }
    ended++;
  }
}

await Promise.all(Array.from({ length: LANES }, startAndEnd));
await engine.close();
console.log(ended);
