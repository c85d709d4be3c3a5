import { button, byId, setText } from '../lib/dom.js';
import { text as textOf } from '../lib/language.js';
import { request, requestJson } from '../lib/request.js';
import { Polling, confirmButton, drawTable } from './widgets.js';

/** The Fleet tab: shows the nodes of a fleet and which match runs where, and drains nodes. */

const POLL_MS = 1000;

/**
 * @typedef {import('../../fleet/nodes.js').NodeState} FleetNode
 * @typedef {ReturnType<import('../../fleet/fleet.js').Fleet['describe']>['matches'][number]} FleetMatch
 */
/** @template T @typedef {import('./widgets.js').Column<T>} Column */

/** @type {Column<FleetNode>[]} */
const NODE_COLUMNS = [
  [textOf('fleet.column.node'), ({ node, self }) => (self ? textOf('fleet.self', { node }) : node)],
  [textOf('column.state'), stateOf],
  [textOf('games.matches'), ({ alive, matches, max }) => (alive ? `${matches} / ${max}` : '–')],
  [textOf('fleet.column.room'), ({ alive, room }) => (alive ? room?.toFixed(1) : '–')],
  [
    textOf('fleet.column.lag'),
    ({ lagMs }) => (lagMs === undefined ? '–' : textOf('link.ms', { ms: lagMs.toFixed(1) })),
  ],
  [textOf('column.version'), ({ version }) => version ?? '–'],
  [textOf('column.address'), ({ urls }) => urls?.[0] ?? '–'],
];
/** @type {Column<FleetMatch>[]} */
const MATCH_COLUMNS = [
  [textOf('column.match'), ({ id }) => id],
  [textOf('column.game'), ({ game }) => game],
  [textOf('fleet.column.node'), ({ node }) => node],
  [textOf('fleet.column.moves'), ({ moves }) => moves],
  [textOf('column.players'), ({ players }) => players],
];

const load = () => requestJson('/api/fleet');
export const polling = new Polling(POLL_MS, load, draw, byId('fleet-problem'));

/** @param {{nodes: FleetNode[], matches: FleetMatch[], party: string | null, cutOff: boolean}} state */
function draw({ nodes, matches, party, cutOff }) {
  byId('fleet-cut-off').hidden = !cutOff;
  byId('fleet-two').hidden = nodes.length !== 2;
  byId('fleet-party').hidden = party === null;
  if (party !== null) setText(byId('fleet-party'), textOf('fleet.party', { node: party }));
  drawTable('fleet-nodes', NODE_COLUMNS, nodes, (node) => (node.leased ? drainButton(node) : null));
  drawTable('fleet-matches', MATCH_COLUMNS, matches);
}

/** @param {FleetNode} node */
function stateOf({ alive, leased, drains }) {
  if (!alive) return textOf('fleet.away');
  if (!leased) return textOf('fleet.cut');
  return textOf(drains ? 'fleet.drains' : 'fleet.up');
}

/** @param {FleetNode} node */
function drainButton({ node, drains }) {
  const send = (/** @type {boolean} */ on) =>
    polling.act(() => request(`/api/fleet/nodes/${node}/drain`, { json: { on } }));
  if (drains) return button(textOf('fleet.take'), () => send(false), '', { id: `take-${node}` });
  return confirmButton('fleet.drain', () => send(true), { node }, `drain-${node}`);
}
