/** Makes the table of idle workers and of killed ones, by pool, in docs/results/dispatch.md. */
import { linesOf, pivot } from '../pivot.js';

export const sources = ['dispatch*'];

const KIB_PER_MIB = 1024;
const IDLE = { level: 'idle', n: 0 };
const KILLED = { level: 'killed', n: 0 };

/** @param {import('../../results.js').Results[]} files */
export const render = (files) =>
  pivot(files, {
    scenario: 'dispatch',
    lines: linesOf(files, 'dispatch', ['variant']),
    columns: [
      {
        title: 'unreclaimable memory of 8 idle workers, MiB',
        metric: 'idle_memory',
        where: IDLE,
        scale: 1 / KIB_PER_MIB,
      },
      { title: 'their CPU time, % of a core', metric: 'idle_cpu', where: IDLE },
      { title: 'a task after the kill of a worker, ms', metric: 'recovery', where: KILLED },
    ],
  });
