/** Declares the table of bots in docs/results/games.md. */
import { STRENGTHS, VARIANTS } from './index.js';

/** @type {Record<string, import('../../report/published/declared.js').Table>} */
export const tables = {
  bots: {
    all: { source: 'bots', metric: 'won' },
    lines: Object.keys(VARIANTS).map((variant) => ({ title: variant, where: { variant } })),
    columns: STRENGTHS.map((level) => ({
      title: `won against ${level} bots, %`,
      where: { level },
    })),
  },
};
