import { setTimeout as sleep } from 'node:timers/promises';
import { SWITCH } from '../../config/flags.js';
import { parseBeat } from '../../fleet/wire.js';
import { BEATS } from '../../fleet/beats.js';
import { BEAT_MS } from '../../fleet/membership.js';
import { openMembers, readMembers } from '../../fleet/members.js';
import { isMatchRecord } from '../../fleet/match-records.js';
import { openTable } from '../../fleet/shared-map.js';
import { CONNECT, CONNECT_HELP, withFleet } from '../common/fleet.js';
import { alignColumns, print } from '../common/output.js';

export const help = `Usage: pitv fleet status [options]

Shows the nodes of a fleet, and which match runs where.

  --json          print a JSON object instead
${CONNECT_HELP}`;
export const options = { ...CONNECT, json: SWITCH };
export const operands = /** @type {[number, number]} */ ([0, 0]);

/** Beats of all living nodes come in this time. */
const LISTEN_MS = 3 * BEAT_MS;

/** @param {Record<string, any>} values */
export async function run(values) {
  const state = await withFleet(values, readState);
  print(values.json ? `${JSON.stringify(state, undefined, 2)}\n` : render(state));
  return state.nodes.every(({ alive }) => alive) ? 0 : 1;
}

/** @param {import('../../fleet/connection.js').FleetConnection} connection */
async function readState(connection) {
  /** @type {Map<string, import('../../fleet/membership.js').Beat>} */
  const beats = new Map();
  connection.subscribe(BEATS, ({ data }) => {
    const beat = parseBeat(data);
    if (beat) beats.set(beat.node, beat);
  });
  await sleep(LISTEN_MS);
  const members = await readMembers(await openMembers(connection));
  const about = { node: '', isValid: isMatchRecord, log: connection.log };
  const records = await openTable(connection, 'matches', about);
  const nodes = [...members.keys()].sort().map((node) => {
    const { version, urls, room, matches, max, drains, leased } = beats.get(node)?.about ?? {};
    return { node, alive: beats.has(node), version, urls, room, matches, max, drains, leased };
  });
  const matches = [...records.entries()].flatMap(([, { end, id, game, node, epoch, seats }]) =>
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
