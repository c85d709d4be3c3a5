/** Makes the table of CPU time of a frame, by kind of cloud and number of circles, in docs/results/collision.md. */
import { listRatios } from '../findings.js';
import { linesOf, pivot, valuesOf } from '../pivot.js';

export const sources = ['collision*'];

/** @type {import('../findings.js').Ratio[]} */
const RATIOS = /** @type {const} */ ([
  ['pitv', 'c-native', 'pitv’s kernel takes {times} as long as C with `-O3 -march=native`'],
  ['pitv', 'c', 'It takes {times} as long as C with the options of the WebAssembly kernel'],
  ['kdbush', 'pitv', 'kdbush takes {times} as long as pitv'],
]).map(([variant, other, text]) => {
  const where = { level: 'uniform', n: 5000 };
  return {
    metric: 'frame',
    of: { variant, ...where },
    to: { variant: other, ...where },
    text: `${text}, with 5,000 equal circles.`,
  };
});

/** @param {import('../../results.js').Results[]} files */
export function render(files) {
  const columns = valuesOf(files, 'collision', 'variant').map((variant) => {
    return { title: variant, metric: 'frame', where: { variant } };
  });
  const lines = linesOf(files, 'collision', ['level', 'n']);
  const table = pivot(files, { scenario: 'collision', lines, columns });
  return `${table}\n\n${listRatios(files, 'collision', RATIOS)}`;
}
