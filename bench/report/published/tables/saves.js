/** Makes the table of what saved matches write to the card, by game, in docs/results/card.md. */
import { linesOf, pivot } from '../pivot.js';

export const sources = ['saves*'];

/** @param {import('../../results.js').Results[]} files */
export const render = (files) =>
  pivot(files, {
    scenario: 'saves',
    lines: linesOf(files, 'saves', ['variant']),
    columns: [{ title: 'written to the disk, MB an hour', metric: 'written' }],
  });
