/** Declares the tables of bots in docs/results/games.md. */
import { STRENGTHS, VARIANTS } from './index.js';

const isCooperative = (/** @type {string} */ variant) => /^(?:Swarm|Lanterns)/.test(variant);
const lineOf = (/** @type {string} */ variant) => ({ title: variant, where: { variant } });

/** @type {Record<string, import('../../report/published/declared.js').Table>} */
export const tables = {
  bots: {
    all: { source: 'bots', metric: 'won' },
    lines: Object.keys(VARIANTS)
      .filter((variant) => !isCooperative(variant))
      .map(lineOf),
    columns: STRENGTHS.map((level) => ({
      title: `won against ${level} bots, %`,
      where: { level },
    })),
  },
  matches: {
    all: { source: 'bots', where: { level: STRENGTHS[0] } },
    lines: Object.entries(VARIANTS)
      .filter(([, { people }]) => people === undefined)
      .map(([variant]) => lineOf(variant)),
    columns: [
      { title: 'length, s', metric: 'length' },
      { title: 'rounds', metric: 'rounds' },
      { title: 'lead changes', metric: 'leads' },
      { title: 'won, %', metric: 'won' },
    ],
  },
};
