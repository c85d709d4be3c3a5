/** Makes the table of the TV's memory, by engine and KSM level, in docs/results/paper-x64.md. */
import { linesOf, pivot } from '../pivot.js';

export const sources = ['memory*'];

const KIB_PER_MIB = 1024;

/** @param {import('../../results.js').Results[]} files */
export const render = (files) =>
  pivot(files, {
    scenario: 'memory',
    lines: linesOf(files, 'memory', ['workers', 'variant', 'engine', 'level']),
    columns: [
      { title: 'unreclaimable, MiB', metric: 'unreclaimable', scale: 1 / KIB_PER_MIB },
      { title: 'of it anonymous, MiB', metric: 'pss_anon', scale: 1 / KIB_PER_MIB },
      { title: 'shared, MiB', metric: 'pss_shmem', scale: 1 / KIB_PER_MIB },
      { title: 'pages of files, MiB', metric: 'pss_file', scale: 1 / KIB_PER_MIB },
      { title: 'PSS, MiB', metric: 'pss', scale: 1 / KIB_PER_MIB },
      { title: 'saved by merging, %', metric: 'saved_merging' },
    ],
  });
