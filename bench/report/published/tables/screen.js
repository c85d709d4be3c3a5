/** Makes the table of pictures a second, start and memory of the screen page, by browser, in docs/results/screen.md. */
import { linesOf, pivot } from '../pivot.js';

export const sources = ['screen*'];

/** @param {import('../../results.js').Results[]} files */
export const render = (files) =>
  pivot(files, {
    scenario: 'screen',
    lines: linesOf(files, 'screen', ['level', 'n', 'variant']),
    columns: [
      { title: 'pictures/s', metric: 'fps' },
      { title: 'gap p99, ms', metric: 'gap_p99' },
      { title: 'lobby, ms', metric: 'lobby' },
      { title: 'heap, MB', metric: 'heap' },
      { title: 'growth, MB/min', metric: 'heap_growth' },
    ],
  });
