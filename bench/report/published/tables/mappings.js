/** Makes the table of the whole TV's memory with four matches, by process and mapping, in docs/results/card.md. */
import { KINDS } from '../../../scenarios/mappings/mappings.js';
import { pivot } from '../pivot.js';

export const sources = ['mappings-armhf'];

const KIB_PER_MIB = 1024;
const MATCHES = 4;
const ROLES = {
  main: 'main process',
  zygote: 'zygote',
  match: 'each match',
  spare: 'spare child',
  all: 'all',
};

/** @param {import('../../results.js').Results[]} files */
export function render(files) {
  const columns = [...KINDS, 'unreclaimable'];
  const tables = Object.entries(ROLES).map(([role, title]) =>
    pivot(files, {
      scenario: 'mappings',
      heads: ['MiB'],
      lines: [{ title, where: { workers: MATCHES } }],
      columns: columns.map((kind) => ({
        ...{ title: kind, metric: `${role}_${kind}`, scale: 1 / KIB_PER_MIB },
      })),
    }),
  );
  // Each role has metrics of its own, so each line is a table; the first one has the head.
  return tables
    .map((table, i) => (i === 0 ? table : table.split('\n').slice(2).join('\n')))
    .join('\n');
}
