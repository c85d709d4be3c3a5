/**
 * How even the ticks of a match are: a game played by bots, alone on its core, at a rate that gives
 * many ticks in a short time. A zygote's children collect garbage on the thread that ticks.
 */
import { once } from 'node:events';
import { ENGINES, createEngine } from '../../../app/engine/index.js';
import job from './job.js';

const JOB = new URL('./job.js', import.meta.url);
const OPTIONS = { seed: 1, match: 1 };
const TICK_HZ = 250;
const TICKS = 6000;
const TICKS_QUICK = 2000;
const POLL_MS = 100;

/** @type {import('../../harness/scenarios.js').Scenario} */
export default {
  name: 'jitter',
  title: `How long a tick of a match takes, and how far apart two of them begin, at ${TICK_HZ} Hz`,
  reference: 'process',
  metrics: [
    { name: 'tick_p50', unit: 'ms' },
    { name: 'tick_p999', unit: 'ms' },
    { name: 'gap_p999', unit: 'ms' },
  ],

  configurations: ({ engines = ENGINES }) => engines.map((engine) => ({ variant: engine, engine })),

  cost: (_, { quick }) => ({ seconds: (quick ? TICKS_QUICK : TICKS) / TICK_HZ, starts: 5 }),

  async sample({ engine }, { quick }) {
    const ticks = quick ? TICKS_QUICK : TICKS;
    const host = await createEngine(String(engine), { modules: [JOB], thorough: true });
    const sizes = job.sizes(OPTIONS);
    const worker = await host.start(JOB, { sizes, options: OPTIONS, tickHz: TICK_HZ });
    const figures = await new Promise((resolve, reject) => {
      once(worker, 'exit').then(([{ reason }]) => reject(new Error(`the worker ended: ${reason}`)));
      const timer = setInterval(() => {
        worker.mailbox.takeFrame();
        const { bytes } = worker.mailbox.lastFrame;
        const all = new Float64Array(bytes.slice().buffer);
        if (!(all[3] >= ticks)) return;
        clearInterval(timer);
        resolve(all);
      }, POLL_MS);
    });
    await host.close();
    const [tick_p50, tick_p999, gap_p999] = figures;
    return { metrics: { tick_p50, tick_p999, gap_p999 } };
  },
};
