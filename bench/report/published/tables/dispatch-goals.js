/** Makes the table of the pool's goals, and whether they are reached, in docs/results/dispatch.md. */
import { GOALS } from '../dispatch-goals.js';
import { GOAL_HEAD, goalLines } from '../goals.js';
import { markdownTable, runsOf } from '../pivot.js';

export const sources = ['dispatch*'];

/** @param {import('../../results.js').Results[]} files */
export function render(files) {
  const runs = runsOf(files);
  const lines = runs.flatMap(({ name, results, isOnly }) => {
    const rows = results.rows.filter(({ scenario }) => scenario === 'dispatch');
    return goalLines(rows, GOALS).map((cells) => (isOnly ? cells : [name, ...cells]));
  });
  return markdownTable([...(runs.length > 1 ? ['Node.js'] : []), ...GOAL_HEAD], lines);
}
