/** Makes the table of rates of hashes and reads, by the size of libuv's thread pool, in docs/results/threadpool.md. */
import { linesOf, pivot } from '../pivot.js';

export const sources = ['threadpool*'];

/** @param {import('../../results.js').Results[]} files */
export const render = (files) =>
  pivot(files, {
    scenario: 'threadpool',
    lines: linesOf(files, 'threadpool', ['variant', 'level', 'workers']),
    columns: [
      { title: 'first hash, ms', metric: 'hash_first' },
      { title: 'last hash, ms', metric: 'hash_last' },
      { title: 'hashes/s', metric: 'hashes' },
      { title: 'reads/s', metric: 'reads' },
      { title: 'read p50, ms', metric: 'read_p50' },
      { title: 'read p99, ms', metric: 'read_p99' },
      { title: 'late ticks, %', metric: 'late_ticks' },
    ],
  });
