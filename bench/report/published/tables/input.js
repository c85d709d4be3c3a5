/** Makes the table of the time from a pad's input to the frame that shows it, in docs/results/udp.md. */
import { linesOf, pivot } from '../pivot.js';

export const sources = ['input*'];

/** @param {import('../../results.js').Results[]} files */
export const render = (files) =>
  pivot(files, {
    scenario: 'input',
    lines: linesOf(files, 'input', ['level', 'variant']),
    columns: [
      { title: 'mean, ms', metric: 'mean' },
      { title: 'p50, ms', metric: 'p50' },
      { title: 'p99, ms', metric: 'p99' },
    ],
  });
