/** Makes the table of the whole TV's memory with four matches, by process and mapping, in docs/results/card.md. */
import { KINDS } from '../../../scenarios/mappings/mappings.js';
import { figure, markdownTable, rowOf } from '../pivot.js';

export const sources = ['mappings-armhf'];

const KIB_PER_MIB = 1024;
const MATCHES = 4;
const COLUMNS = [...KINDS, 'unreclaimable'];
const TITLES = Object.entries({
  main: 'main process',
  zygote: 'zygote',
  match: 'each match',
  spare: 'spare child',
  all: 'all',
});

/** @param {import('../../results.js').Results[]} files */
export function render(files) {
  const rows = files.flatMap((results) => results.rows);
  const cell = (/** @type {string} */ metric) => {
    const row = rowOf(rows, { scenario: 'mappings', workers: MATCHES, metric });
    if (!row) throw new Error(`mappings has no ${metric}`);
    return figure(row.median / KIB_PER_MIB);
  };
  const lines = TITLES.map(([role, title]) => [
    title,
    ...COLUMNS.map((kind) => cell(`${role}_${kind}`)),
  ]);
  return markdownTable(['MiB', ...COLUMNS], lines);
}
