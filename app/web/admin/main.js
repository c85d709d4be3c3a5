import { byId, byIdAs, h, setText } from '../lib/dom.js';
import { parseMetrics } from '../lib/prometheus.js';
import { matchRows, MATCH_COLUMNS, THREADS, tiles, workerRows, WORKER_COLUMNS } from './view.js';

/** The admin's page: what runs, what it costs, and a way to stop it. */

const TOKEN_KEY = 'pitv.admin.token';
const REFRESH_MS = 2000;

let token = sessionStorage.getItem(TOKEN_KEY) ?? '';
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

/**
 * @param {string} path
 * @param {RequestInit} [options]
 * @returns {Promise<Response>}
 * @throws {Error} with the server's own sentence
 */
async function request(path, options = {}) {
  const response = await fetch(path, {
    ...options,
    headers: { Authorization: `Bearer ${token}` },
    cache: 'no-store',
  });
  if (response.ok) return response;
  const body = await response.json().catch(() => null);
  throw new Error(body?.error?.message ?? `The TV answered ${response.status}.`);
}

/** @param {string} [message] why one has to log in (again) */
function showLogin(message = '') {
  clearTimeout(timer);
  token = '';
  sessionStorage.removeItem(TOKEN_KEY);
  byId('panel').hidden = true;
  byId('forget').hidden = true;
  byId('login').hidden = false;
  setText(byId('login-message'), message);
  byIdAs('token', HTMLInputElement).focus();
}

async function enter() {
  try {
    await request('/api/measurements'); // for admins only: tells a wrong token from a right one
  } catch (error) {
    return showLogin(error instanceof Error ? error.message : '');
  }
  sessionStorage.setItem(TOKEN_KEY, token);
  byId('login').hidden = true;
  byId('panel').hidden = false;
  byId('forget').hidden = false;
  return refresh();
}

async function refresh() {
  clearTimeout(timer);
  try {
    const [health, list, metrics] = await Promise.all([
      request('/healthz').then((response) => response.json()),
      request('/api/matches').then((response) => response.json()),
      request('/metrics').then((response) => response.text()),
    ]);
    draw(health, list, parseMetrics(metrics));
    setText(byId('problem'), '');
  } catch (error) {
    setText(byId('problem'), error instanceof Error ? error.message : 'The TV does not answer.');
  }
  timer = setTimeout(refresh, REFRESH_MS);
}

/**
 * @param {{engine: string, uptimeS: number}} health
 * @param {{matches: import('./view.js').MatchInfo[], capacity: {max: number, running: number, why: string}}} list
 * @param {import('../lib/prometheus.js').Sample[]} samples
 */
function draw(health, list, samples) {
  const { running, max, why } = list.capacity;
  setText(byId('summary'), `engine ${health.engine} · ${running} of ${max} matches (${why})`);
  byId('tiles').replaceChildren(
    ...tiles(health, samples).map(({ value, text }) =>
      h('div', { class: 'tile' }, h('b', { text: value }), h('span', { text })),
    ),
  );
  const rows = matchRows(list.matches, Date.now());
  drawTable('matches', [...MATCH_COLUMNS, ''], rows, (i) => stopButton(list.matches[i].id));
  drawTable('workers', WORKER_COLUMNS, workerRows(samples, health.engine === THREADS));
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
    onclick: async () => {
      try {
        await request(`/api/matches/${encodeURIComponent(match)}`, { method: 'DELETE' });
      } catch (error) {
        setText(byId('problem'), error instanceof Error ? error.message : '');
      }
      refresh();
    },
  });
}

byIdAs('login', HTMLFormElement).onsubmit = (event) => {
  event.preventDefault();
  token = byIdAs('token', HTMLInputElement).value.trim();
  enter();
};
byId('forget').onclick = () => showLogin();

if (token) enter();
else showLogin();
