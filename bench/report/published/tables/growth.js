/** Makes the table of memory that a game adds, by engine and number of games, in docs/results/zygote.md. */
import { linesOf, pivot } from '../pivot.js';

export const sources = ['growth*'];

const KIB_PER_MIB = 1024;

/** @param {import('../../results.js').Results[]} files */
export const render = (files) =>
  pivot(files, {
    scenario: 'growth',
    lines: linesOf(files, 'growth', ['variant', 'workers']),
    columns: [
      { title: 'at the start, MiB', metric: 'unreclaimable_added_start', scale: 1 / KIB_PER_MIB },
      {
        title: 'after play, MiB',
        metric: 'unreclaimable_added_per_worker',
        scale: 1 / KIB_PER_MIB,
      },
      {
        title: 'of it in the main process, MiB',
        metric: 'main_added_per_worker',
        scale: 1 / KIB_PER_MIB,
      },
      { title: 'PSS after play, MiB', metric: 'pss_added_per_worker', scale: 1 / KIB_PER_MIB },
    ],
  });
