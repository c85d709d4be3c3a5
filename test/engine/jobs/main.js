/** A main process with workers, two of which hang. Its test closes or kills it. */
import { createEngine } from '../../../app/engine/index.js';
import { sizes } from './count.js';

const [name, how] = process.argv.slice(2);
const engine = await createEngine(name, { hangMs: 60_000 });
const faulty = new URL('./faulty.js', import.meta.url);
const jobs = [{}, { fault: 'spin', at: 2 }, { fault: 'spin', at: 5 }];
const workers = await Promise.all(
  jobs.map((options) => engine.start(faulty, { sizes, options, name: 'left alone' })),
);
const hung = () => workers[1].mailbox.tick === 1 && workers[2].mailbox.tick === 4;
while (!hung()) await new Promise((resolve) => setTimeout(resolve, 5));
console.log(JSON.stringify(workers.map((worker) => worker.pid)));
if (how === 'close') await engine.close({ graceMs: 100 });
