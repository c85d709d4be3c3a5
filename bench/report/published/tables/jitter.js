/** Makes the table of tick times in docs/results/zygote.md. */
import { linesOf, pivot } from '../pivot.js';

export const sources = ['jitter*'];

/** @param {import('../../results.js').Results[]} files */
export const render = (files) =>
  pivot(files, {
    scenario: 'jitter',
    lines: linesOf(files, 'jitter', ['variant', 'level']),
    columns: [
      { title: 'tick p50, ms', metric: 'tick_p50' },
      { title: 'tick p99.9, ms', metric: 'tick_p999' },
      { title: 'tick p99.9 without collections, ms', metric: 'tick_p999_no_gc' },
      { title: 'collections, ms per 1,000 ticks', metric: 'gc' },
      { title: 'of it within ticks', metric: 'gc_in_ticks' },
      { title: 'interval p99.9, ms', metric: 'gap_p999' },
      { title: 'CPU time, ms per 1,000 ticks', metric: 'cpu' },
      { title: 'own memory, MiB', metric: 'uss', scale: 1 / 1024 },
    ],
  });
