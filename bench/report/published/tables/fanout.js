/** Makes the table of the cost of frames, by game, number of screens and format, in docs/results/dispatch.md. */
import { linesOf, pivot } from '../pivot.js';

export const sources = ['fanout*'];

/** @param {import('../../results.js').Results[]} files */
export const render = (files) =>
  pivot(files, {
    scenario: 'fanout',
    lines: linesOf(files, 'fanout', ['level', 'n', 'variant']),
    columns: [
      { title: 'frames a second', metric: 'rate' },
      { title: 'to a screen, kB/s', metric: 'screen_bytes' },
      { title: 'to a pad, kB/s', metric: 'pad_bytes' },
      { title: 'CPU time a frame and screen, µs', metric: 'cpu_frame' },
      { title: 'event-loop delay p99, ms', metric: 'loop_p99' },
    ],
  });
