/** Makes the table of run times and their parts in docs/results/paper-x64.md. */
import { linesOf, pivot } from '../pivot.js';

export const sources = ['runtime*'];

/** @param {import('../../results.js').Results[]} files */
export const render = (files) =>
  pivot(files, {
    scenario: 'runtime',
    lines: linesOf(files, 'runtime', ['workers', 'variant']),
    columns: [
      { title: 'whole, ms', metric: 'total' },
      { title: 'start-up, ms', metric: 'startup' },
      { title: 'share of start-up, %', metric: 'startup_share' },
      { title: 'after start-up, ms', metric: 'computing' },
      { title: 'over the ideal, %', metric: 'computing_overhead' },
      { title: 'steps/s of a game', metric: 'throughput' },
    ],
  });
