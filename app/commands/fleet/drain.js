import { DRAIN_MS, askNode } from '../../fleet/requests.js';
import { SWITCH } from '../../config/flags.js';
import { CONNECT, CONNECT_HELP, withFleet } from '../common/fleet.js';
import { print } from '../common/output.js';

export const help = `Usage: pitv fleet drain NODE [options]

Moves all matches of a node to others, and starts no more there. They pause for a moment.

  --undo          let the node take matches again
${CONNECT_HELP}`;
export const options = { ...CONNECT, undo: SWITCH };
export const operands = /** @type {[number, number]} */ ([1, 1]);

/** @param {Record<string, any>} values @param {string[]} operands */
export async function run(values, [node]) {
  const request = { on: values.undo !== true };
  const { matches } = await withFleet(values, (connection) =>
    askNode(connection, node, 'drain', request, DRAIN_MS),
  );
  print(values.undo ? `${node} takes matches again.\n` : `${node} has ${matches} matches left.\n`);
  return matches === 0 || values.undo ? 0 : 1;
}
