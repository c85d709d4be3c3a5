/**
 * Makes the table of latency, of interruptions and of costs in a fleet, in docs/results/fleet.md. Capacity has its own.
 */
import { linesOf, pivot } from '../pivot.js';

export const sources = ['fleet'];

/** @param {import('../../results.js').Results[]} files */
export const render = (files) =>
  pivot(files, {
    scenario: 'fleet',
    lines: linesOf(files, 'fleet', ['level', 'variant', 'n']),
    columns: [
      { title: 'latency p50, ms', metric: 'latency_p50' },
      { title: 'p99, ms', metric: 'latency_p99' },
      { title: 'no frame for, ms', metric: 'still' },
      { title: 'of that detection, ms', metric: 'detection' },
      { title: 'a phone that changes its TV, ms', metric: 'phone' },
      { title: 'frames a second', metric: 'rate' },
      { title: 'the TV that runs the match, % of a core', metric: 'owner_cpu' },
      { title: 'the busiest other TV, % of a core', metric: 'other_cpu' },
      { title: 'all servers, % of a core', metric: 'servers_cpu' },
    ],
  });
