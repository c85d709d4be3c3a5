/** Makes the table of costs of a task, by pool and size, in docs/results/dispatch.md. */
import { linesOf, pivot, valuesOf } from '../pivot.js';

export const sources = ['dispatch*'];

const KIB = 1024;
const MIB = KIB * KIB;

/** @param {number} bytes */
function sizeText(bytes) {
  if (bytes === 0) return 'nothing';
  return bytes < MIB ? `${bytes / KIB} KiB` : `${bytes / MIB} MiB`;
}

/** @param {import('../../results.js').Results[]} files */
export const render = (files) =>
  pivot(files, {
    scenario: 'dispatch',
    lines: linesOf(files, 'dispatch', ['variant', 'level', 'workers']),
    columns: [
      ...valuesOf(files, 'dispatch', 'n').map((n) => {
        return { title: `CPU with ${sizeText(Number(n))}, µs`, metric: 'cpu', where: { n } };
      }),
      ...[
        { title: 'latency with nothing, ms', metric: 'latency' },
        { title: 'after a pause, ms', metric: 'latency_idle' },
        { title: 'first pool and task, ms', metric: 'cold' },
        { title: 'second pool and task, ms', metric: 'second_pool' },
      ].map((column) => ({ ...column, where: { n: 0 } })),
    ],
  });
