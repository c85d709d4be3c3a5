/** Makes the table of the matches that a fleet runs as nodes are added, in docs/results/fleet.md. */
import { linesOf, pivot } from '../pivot.js';

export const sources = ['fleet-capacity'];

/** @param {import('../../results.js').Results[]} files */
export const render = (files) =>
  pivot(files, {
    scenario: 'fleet',
    lines: linesOf(files, 'fleet', ['variant', 'n']),
    columns: [{ title: 'matches at 60 Hz', metric: 'matches' }],
  });
