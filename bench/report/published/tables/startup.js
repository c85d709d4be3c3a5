/** Makes the table of start-up times in docs/results/zygote.md. */
import { listRatios } from '../findings.js';
import { linesOf, pivot } from '../pivot.js';

export const sources = ['startup*'];

const KIB_PER_MIB = 1024;

/** @type {import('../findings.js').Ratio[]} */
const RATIOS = ['on demand', 'spare', '8 at once'].flatMap((variant) =>
  ['process', 'thread'].map((engine) => ({
    metric: 'ready',
    of: { variant, engine },
    to: { variant, engine: 'zygote' },
    text: `${variant[0].toUpperCase()}${variant.slice(1)}, a ${engine} takes {times} as long as a child of the zygote.`,
  })),
);

/** @param {import('../../results.js').Results[]} files */
export const render = (files) => `${pivot(files, {
  scenario: 'startup',
  lines: linesOf(files, 'startup', ['variant', 'engine', 'level']),
  columns: [
    { title: 'ready, ms', metric: 'ready' },
    { title: 'first start, ms', metric: 'first' },
    { title: 'CPU time, ms', metric: 'cpu' },
    { title: 'unreclaimable memory, MiB', metric: 'peak_unreclaimable', scale: 1 / KIB_PER_MIB },
  ],
})}

${listRatios(files, 'startup', RATIOS)}`;
