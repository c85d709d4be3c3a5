import { SWITCH } from '../../config/flags.js';
import { openTables } from '../../fleet/join.js';
import { readMembers } from '../../fleet/members.js';
import { askNode } from '../../fleet/requests.js';
import { CONNECT, CONNECT_HELP, withFleet } from '../common/fleet.js';
import { alignColumns, print } from '../common/output.js';

export const help = `Usage: pitv fleet status [options]

Shows the nodes of a fleet, and which match runs where.

  --json          print a JSON object instead
${CONNECT_HELP}`;
export const options = { ...CONNECT, json: SWITCH };
export const operands = /** @type {[number, number]} */ ([0, 0]);

/** @param {Record<string, any>} values */
export async function run(values) {
  const state = await withFleet(values, readState);
  print(values.json ? `${JSON.stringify(state, undefined, 2)}\n` : render(state));
  return state.nodes.every(({ alive }) => alive) ? 0 : 1;
}

/** @param {import('../../fleet/connection.js').FleetConnection} connection */
async function readState(connection) {
  const tables = await openTables(connection, '');
  const members = await readMembers(tables.members);
  const askOne = async (/** @type {string} */ node) => {
    const about = await askNode(connection, node, 'hello', {}).catch(() => undefined);
    return { ...about, node, alive: about !== undefined };
  };
  const nodes = await Promise.all([...members.keys()].sort().map(askOne));
  const records = [...tables.entries('matches')];
  const matches = records.flatMap(([, { end, id, game, node, epoch, seats }]) =>
    end ? [] : [{ id, game, node, epoch, players: seats.length }],
  );
  return { nodes, matches };
}

/** @param {Awaited<ReturnType<typeof readState>>} state */
function render({ nodes, matches }) {
  const stateOf = (/** @type {typeof nodes[0]} */ { alive, drains, leased }) => {
    if (!alive) return 'away';
    if (!leased) return 'cut off';
    return drains ? 'drains' : 'up';
  };
  const rows = [
    ['node', 'state', 'matches', 'room', 'address'],
    ...nodes.map((node) => [
      node.node,
      stateOf(node),
      node.alive ? `${node.matches} of ${node.max}` : '',
      node.room?.toFixed(1) ?? '',
      node.urls?.[0] ?? '',
    ]),
    [],
    ['match', 'game', 'node', 'moves', 'players'],
    ...matches.map(({ id, game, node, epoch, players }) =>
      [id, game, node, epoch - 1, players].map(String),
    ),
  ];
  return alignColumns(rows);
}
