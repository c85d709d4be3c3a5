/** Makes the table of delays of the main thread, by number of matches and engine, in docs/results/loop.md. */
import { linesOf, pivot } from '../pivot.js';

export const sources = ['loop*'];

/** @param {import('../../results.js').Results[]} files */
export const render = (files) =>
  pivot(files, {
    scenario: 'loop',
    lines: linesOf(files, 'loop', ['n', 'variant', 'engine']),
    columns: [
      { title: 'event-loop delay p50, ms', metric: 'loop_p50' },
      { title: 'event-loop delay p99, ms', metric: 'loop_p99' },
      { title: 'latency p50, ms', metric: 'latency_p50' },
      { title: 'latency p99, ms', metric: 'latency_p99' },
      { title: 'late ticks, %', metric: 'late_ticks' },
    ],
  });
