/** Makes the table of CPU time of ksmd and tick rates, by level, in docs/results/ksm.md. */
import { linesOf, pivot } from '../pivot.js';

export const sources = ['ksm*'];

const MS_PER_S = 1000;

/** @param {import('../../results.js').Results[]} files */
export const render = (files) =>
  pivot(files, {
    scenario: 'ksm',
    lines: linesOf(files, 'ksm', ['variant', 'engine', 'level', 'workers']),
    columns: [
      { title: 'start of a match, ms', metric: 'start' },
      { title: 'CPU time of the start, ms', metric: 'start_cpu' },
      { title: 'ksmd: burst, ms', metric: 'ksmd_burst' },
      { title: 'ksmd: trickle, ms/min', metric: 'ksmd_trickle' },
      { title: 'steady after, s', metric: 'steady_after', scale: 1 / MS_PER_S },
      { title: 'ticks/s without ksmd', metric: 'ticks_idle' },
      { title: 'ticks/s while ksmd scans', metric: 'ticks_scanned' },
    ],
  });
