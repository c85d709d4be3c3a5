import { byId, h, setText } from '../lib/dom.js';
import { text as textOf } from '../lib/language.js';
import { confirmButton } from './confirm-button.js';
import { Polling } from './polling.js';
import { errorMessage, request } from '../lib/request.js';
import { drawTable } from './table.js';

/** The Fleet tab: shows the nodes of a fleet and which match runs where, and drains nodes. */

const POLL_MS = 1000;

/**
 * @typedef {object} FleetNode
 * @property {string} node @property {boolean} alive @property {boolean} self
 * @property {number} [lagMs] time from the asked TV to this one and back
 * @property {string} [version] @property {string[]} [urls] @property {number} [room]
 * @property {number} [matches] @property {number} [max] @property {boolean} [drains] @property {boolean} [leased]
 *
 * @typedef {{id: number, game: string, node: string, moves: number, players: number}} FleetMatch
 */

const NODE_COLUMNS = Object.freeze([
  textOf('fleet.column.node'),
  textOf('fleet.column.state'),
  textOf('fleet.column.matches'),
  textOf('fleet.column.room'),
  textOf('fleet.column.lag'),
  textOf('fleet.column.version'),
  textOf('fleet.column.address'),
]);
const LAG = NODE_COLUMNS.indexOf(textOf('fleet.column.lag'));
const MATCH_COLUMNS = Object.freeze([
  textOf('fleet.column.match'),
  textOf('fleet.column.game'),
  textOf('fleet.column.node'),
  textOf('fleet.column.moves'),
  textOf('fleet.column.players'),
]);

const polling = new Polling(POLL_MS, update);

/** @param {boolean} shown */
export const showFleet = (shown) => polling.show(shown);

async function update() {
  let problem = '';
  try {
    const state = await (await request('/api/fleet')).json();
    if (polling.shown) draw(state);
  } catch (error) {
    problem = errorMessage(error);
  }
  if (polling.shown) byId('fleet-problem').textContent = problem;
}

/** @param {{nodes: FleetNode[], matches: FleetMatch[], party: string | null, cutOff: boolean}} state */
function draw({ nodes, matches, party, cutOff }) {
  byId('fleet-cut-off').hidden = !cutOff;
  byId('fleet-two').hidden = nodes.length !== 2;
  byId('fleet-party').hidden = party === null;
  if (party !== null) setText(byId('fleet-party'), textOf('fleet.party', { node: party }));
  const nodeRows = nodes.map((node) => [
    node.self ? textOf('fleet.self', { node: node.node }) : node.node,
    stateOf(node),
    node.alive ? `${node.matches} / ${node.max}` : '–',
    node.alive ? String(node.room?.toFixed(1)) : '–',
    '',
    node.version ?? '–',
    node.urls?.[0] ?? '–',
  ]);
  const action = (/** @type {number} */ i) => (nodes[i].leased ? drainButton(nodes[i]) : null);
  drawTable('fleet-nodes', [...NODE_COLUMNS, ''], nodeRows, action);
  // The lag changes at each poll, and must not replace the buttons.
  nodes.forEach(({ lagMs }, i) => {
    const cell = document.querySelector(`#fleet-nodes tbody tr:nth-child(${i + 1})`)?.children[LAG];
    if (cell) cell.textContent = lagMs === undefined ? '–' : lagText(lagMs);
  });
  const matchRows = matches.map(({ id, game, node, moves, players }) =>
    [id, game, node, moves, players].map(String),
  );
  drawTable('fleet-matches', MATCH_COLUMNS, matchRows);
}

/** @param {number} ms */
const lagText = (ms) => textOf('fleet.ms', { ms: ms.toFixed(1) });

/** @param {FleetNode} node */
function stateOf({ alive, leased, drains }) {
  if (!alive) return textOf('fleet.away');
  if (!leased) return textOf('fleet.cut');
  return textOf(drains ? 'fleet.drains' : 'fleet.up');
}

/** @param {FleetNode} node */
function drainButton({ node, drains }) {
  const props = { id: `drain-${node}` };
  const send = (/** @type {boolean} */ on) => async () => {
    try {
      await request(`/api/fleet/nodes/${node}/drain`, { json: { on } });
    } catch (error) {
      byId('fleet-problem').textContent = errorMessage(error);
    }
    return polling.refresh();
  };
  if (drains) {
    const take = { ...props, type: 'button', text: textOf('fleet.take'), onclick: send(false) };
    return h('button', take);
  }
  return confirmButton({
    text: textOf('fleet.drain'),
    sure: textOf('fleet.drain.sure', { node }),
    onConfirm: send(true),
    props,
  });
}
