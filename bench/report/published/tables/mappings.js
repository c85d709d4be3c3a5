/** Makes the table of the whole TV's memory, by process and mapping, in docs/results/card.md. */
import { markdownTable, figure, rowOf } from '../pivot.js';
import { KINDS, UNRECLAIMABLE } from '../../../scenarios/mappings/mappings.js';
import { ROLES } from '../../../scenarios/mappings/index.js';

export const sources = ['mappings-armhf'];

const KIB_PER_MIB = 1024;
const TITLES = {
  main: 'main process',
  zygote: 'zygote',
  match: 'each match',
  spare: 'spare child',
};

/** @param {import('../../results.js').Results[]} files */
export function render([{ rows }]) {
  const lines = [...ROLES, /** @type {const} */ ('all')].map((role) => {
    const kib = KINDS.map((kind) => medianOf(rows, `${role}_${kind}`));
    const unreclaimable = UNRECLAIMABLE.map((kind) => kib[KINDS.indexOf(kind)]);
    const cells = [...kib, sum(unreclaimable), sum(kib)].map((each) => figure(each / KIB_PER_MIB));
    return [role === 'all' ? 'all' : TITLES[role], ...cells];
  });
  const head = ['MiB', ...KINDS.map((kind) => `\`${kind}\``), 'unreclaimable', 'PSS'];
  return markdownTable(head, lines);
}

/** @param {import('../../results.js').Row[]} rows @param {string} metric */
function medianOf(rows, metric) {
  const row = rowOf(rows, { scenario: 'mappings', metric });
  if (!row) throw new Error(`There is no ${metric}.`);
  return row.median;
}

/** @param {number[]} numbers */
const sum = (numbers) => numbers.reduce((all, each) => all + each, 0);
