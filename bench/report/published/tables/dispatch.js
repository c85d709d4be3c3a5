/** Makes the table of costs of a task, by pool and size, in docs/results/dispatch.md. */
import { linesOf, pivot, valuesOf } from '../pivot.js';

export const sources = ['dispatch*'];

/** @param {import('../../results.js').Results[]} files */
export const render = (files) =>
  pivot(files, {
    scenario: 'dispatch',
    lines: linesOf(files, 'dispatch', ['variant']),
    columns: [
      ...valuesOf(files, 'dispatch', 'n').map((n) => {
        return { title: `CPU with ${n} bytes, µs`, metric: 'cpu', where: { n } };
      }),
      { title: 'latency with 0 bytes, ms', metric: 'latency', where: { n: 0 } },
      { title: 'cold: pool opened and first task done, ms', metric: 'cold', where: { n: 0 } },
    ],
  });
