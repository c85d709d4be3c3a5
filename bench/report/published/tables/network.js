/** Makes the table of bytes and ages of pictures, by game and number of screens, in docs/results/network.md. */
import { linesOf, pivot } from '../pivot.js';

export const sources = ['network*'];

/** @param {import('../../results.js').Results[]} files */
export const render = (files) =>
  pivot(files, {
    scenario: 'network',
    lines: linesOf(files, 'network', ['level', 'n', 'variant']),
    columns: [
      { title: 'age p50, ms', metric: 'age_p50' },
      { title: 'age p99, ms', metric: 'age_p99' },
      { title: 'rise, ms', metric: 'age_rise' },
      { title: 'frames/s', metric: 'rate' },
      { title: 'to a screen, kB/s', metric: 'screen_bytes' },
      { title: 'to a pad, kB/s', metric: 'pad_bytes' },
    ],
  });
