/** Makes the table of request rates and delays, by the place of the hashing, in docs/results/login.md. */
import { linesOf, pivot } from '../pivot.js';

export const sources = ['login*'];

/** @param {import('../../results.js').Results[]} files */
export const render = (files) =>
  pivot(files, {
    scenario: 'login',
    lines: linesOf(files, 'login', ['variant', 'level']),
    columns: [
      { title: 'requests/s', metric: 'rate' },
      { title: 'latency p50, ms', metric: 'latency_p50' },
      { title: 'latency p99, ms', metric: 'latency_p99' },
      { title: 'event loop p99, ms', metric: 'loop_p99' },
      { title: 'event loop busy, %', metric: 'loop_busy' },
    ],
  });
