import { byId, h, setText } from '../lib/dom.js';
import { parseMetrics } from '../lib/prometheus.js';
import { confirmButton } from './confirm-button.js';
import { session, setUpLogin, setUpPasswordChange, showLogin } from './login.js';
import { showProfiles } from './profiles.js';
import { request } from './request.js';
import { setUpSystem, showSystem } from './system.js';
import { setUpTabs } from './tabs.js';
import * as view from './view.js';

/** The admin's page: what runs, what it costs, and a way to stop it. */

const REFRESH_MS = 2000;

/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;
let inside = false;

/** @param {boolean} passwordSet @param {string} [message] why one has to log in (again) */
function leave(passwordSet, message) {
  clearTimeout(timer);
  inside = false;
  byId('panel').hidden = true;
  setText(byId('summary'), '');
  byId('logout').hidden = true;
  showSystem(false);
  showProfiles(false);
  showLogin(passwordSet, message);
}

/** @param {string} [message] why one would have to log in again */
async function enter(message) {
  try {
    const { admin, passwordSet } = await session();
    if (!admin) return leave(passwordSet, message);
  } catch (error) {
    return leave(true, error instanceof Error ? error.message : '');
  }
  inside = true;
  byId('login').hidden = true;
  byId('panel').hidden = false;
  byId('logout').hidden = false;
  setUpTabs([
    { id: 'games', title: 'Games' },
    { id: 'system', title: 'System', onShown: showSystem },
    { id: 'profiles', title: 'Profiles', onShown: showProfiles },
  ]);
  return refresh();
}

async function refresh() {
  clearTimeout(timer);
  try {
    const { admin, passwordSet } = await session();
    if (!inside) return;
    if (!admin) return leave(passwordSet, 'The session has ended. Log in again.');
    const [health, list, { players }, metrics] = await Promise.all([
      request('/healthz').then((response) => response.json()),
      request('/api/matches').then((response) => response.json()),
      request('/api/players').then((response) => response.json()),
      request('/metrics').then((response) => response.text()),
    ]);
    if (!inside) return;
    draw(health, list, players, parseMetrics(metrics));
    setText(byId('problem'), '');
  } catch (error) {
    setText(byId('problem'), error instanceof Error ? error.message : 'The TV does not answer.');
  }
  if (inside) timer = setTimeout(refresh, REFRESH_MS);
}

/**
 * @param {{engine: string, uptimeS: number}} health
 * @param {{matches: import('./view.js').MatchInfo[], capacity: {max: number, running: number, why: string}}} list
 * @param {import('./view.js').PlayerInfo[]} players
 * @param {import('../lib/prometheus.js').Sample[]} samples
 */
function draw(health, list, players, samples) {
  const { running, max, why } = list.capacity;
  setText(byId('summary'), `engine ${health.engine} · ${running} of ${max} matches (${why})`);
  byId('tiles').replaceChildren(
    ...view
      .tiles(health, samples)
      .map(({ value, text }) =>
        h('div', { class: 'tile' }, h('b', { text: value }), h('span', { text })),
      ),
  );
  const { matches } = list;
  const rows = view.matchRows(matches, Date.now());
  drawTable('matches', [...view.MATCH_COLUMNS, ''], rows, (i) => stopButton(matches[i].id));
  const playerRows = view.playerRows(players);
  drawTable('players', [...view.PLAYER_COLUMNS, ''], playerRows, (i) => removeButton(players[i]));
  const workerRows = view.workerRows(samples, health.engine === view.THREADS);
  drawTable('workers', view.WORKER_COLUMNS, workerRows);
}

/**
 * @param {string} id of the table
 * @param {readonly string[]} columns
 * @param {string[][]} rows
 * @param {(row: number) => HTMLElement} [action] what stands at the end of each row
 */
function drawTable(id, columns, rows, action) {
  const table = byId(id);
  // A button under the pointer must not be swapped for another one just as it is pressed.
  const state = JSON.stringify([columns, rows]);
  if (table.getAttribute('data-state') === state) return;
  table.setAttribute('data-state', state);
  const focused = document.activeElement?.id;
  const head = h('tr', {}, ...columns.map((text) => h('th', { text, scope: 'col' })));
  const body = rows.map((row, i) =>
    h('tr', {}, ...row.map((text) => h('td', { text })), action ? h('td', {}, action(i)) : null),
  );
  if (rows.length === 0)
    body.push(h('tr', {}, h('td', { class: 'empty', text: 'none', colSpan: columns.length })));
  table.replaceChildren(h('thead', {}, head), h('tbody', {}, ...body));
  if (focused) document.getElementById(focused)?.focus();
}

/** @param {string | number} match */
function stopButton(match) {
  return h('button', {
    id: `stop-${match}`,
    class: 'stop',
    type: 'button',
    text: 'Stop',
    'aria-label': `Stop match ${match}`,
    onclick: () => remove(`/api/matches/${encodeURIComponent(match)}`),
  });
}

/** @param {import('./view.js').PlayerInfo} player */
function removeButton({ id, name }) {
  return confirmButton({
    text: 'Remove',
    sure: `Really remove ${name}`,
    onConfirm: () => remove(`/api/players/${id}`),
    props: { id: `remove-${id}` },
  });
}

/** @param {string} path */
async function remove(path) {
  try {
    await request(path, { method: 'DELETE' });
  } catch (error) {
    setText(byId('problem'), error instanceof Error ? error.message : '');
  }
  return refresh();
}

setUpSystem();
setUpLogin(enter);
setUpPasswordChange(refresh);
byId('logout').onclick = async () => {
  try {
    await request('/api/admin/logout', { method: 'POST' });
  } catch (error) {
    return setText(byId('problem'), error instanceof Error ? error.message : '');
  }
  return enter('');
};

enter();
