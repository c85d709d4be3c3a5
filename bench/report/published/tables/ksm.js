/** Makes the table of memory and savings, by level, in docs/results/ksm.md. */
import { linesOf, pivot } from '../pivot.js';

export const sources = ['ksm*'];

const KIB_PER_MIB = 1024;

/** @param {import('../../results.js').Results[]} files */
export const render = (files) =>
  pivot(files, {
    scenario: 'ksm',
    lines: linesOf(files, 'ksm', ['variant', 'engine', 'level', 'workers']),
    columns: [
      { title: 'unreclaimable, MiB', metric: 'unreclaimable', scale: 1 / KIB_PER_MIB },
      { title: 'PSS, MiB', metric: 'pss', scale: 1 / KIB_PER_MIB },
      { title: 'saved in total, %', metric: 'saved' },
      { title: 'saved by the launch, %', metric: 'saved_launch' },
      { title: 'saved by merging, %', metric: 'saved_merging' },
      { title: 'saved by merging in the workers, %', metric: 'saved_workers' },
      { title: 'merged, MiB', metric: 'ksm', scale: 1 / KIB_PER_MIB },
    ],
  });
