/** Makes the table of CPU time of a frame, by transport and size, in docs/results/dispatch.md. */
import { linesOf, pivot, valuesOf } from '../pivot.js';

export const sources = ['frames*'];

/** @param {import('../../results.js').Results[]} files */
export const render = (files) =>
  pivot(files, {
    scenario: 'frames',
    lines: linesOf(files, 'frames', ['variant']),
    columns: valuesOf(files, 'frames', 'n').map((n) => {
      return { title: `${n} bytes, µs`, metric: 'cpu', where: { n } };
    }),
  });
