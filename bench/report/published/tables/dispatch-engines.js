/** Makes the table of what the pool's engines cost, in docs/runtime.md. */
import { pivot } from '../pivot.js';

export const sources = ['dispatch*'];

const MIB = 1024 * 1024;
const KIB_PER_MIB = 1024;
const VARIANTS = ['pitv thread', 'pitv process', 'pitv zygote', 'piscina'];
const NOTHING = { level: 'copied', workers: 2, n: 0 };
const COPIED = { level: 'copied', workers: 2, n: MIB };

/** @param {import('../../results.js').Results[]} files */
export const render = (files) =>
  pivot(files, {
    scenario: 'dispatch',
    lines: VARIANTS.map((variant) => ({ title: variant, where: { variant } })),
    columns: [
      { title: 'CPU time of an empty task, µs', metric: 'cpu', where: NOTHING },
      { title: 'with 1 MiB copied, µs', metric: 'cpu', where: COPIED },
      {
        title: 'with 1 MiB from allocate(), µs',
        metric: 'cpu',
        where: { ...COPIED, level: 'allocated' },
      },
      { title: 'latency, ms', metric: 'latency', where: NOTHING },
      { title: 'first result of the first pool, ms', metric: 'cold', where: NOTHING },
      { title: 'of a second pool, ms', metric: 'second_pool', where: NOTHING },
      {
        title: 'after the kill of a worker, ms',
        metric: 'recovery',
        where: { level: 'killed', workers: 1, n: 0 },
      },
      {
        title: 'memory of 8 idle workers, MiB',
        metric: 'idle_memory',
        where: { level: 'idle', workers: 8, n: 0 },
        scale: 1 / KIB_PER_MIB,
      },
    ],
  });
