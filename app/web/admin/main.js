import '../lib/modern.js';
import { button, byId, fill, h, setText } from '../lib/dom.js';
import { loadGames, titleOf } from '../lib/games.js';
import { text as textOf, translatePage } from '../lib/language.js';
import { polling as fleet } from './fleet.js';
import { session, setUpLogin, showLogin } from './login.js';
import { gameColumns, setUpUpload } from './packages.js';
import { polling as profiles } from './profiles.js';
import { errorMessage, request, requestJson } from '../lib/request.js';
import { polling as system } from './system.js';
import * as view from './view.js';
import { Polling, confirmButton, drawTable, setUpTabs } from './widgets.js';

/** The admin page: shows matches, players and workers with their costs, and stops or removes them. */

const REFRESH_MS = 2000;

/** The games whose titles have been loaded. */
let shownVersions = '';

const polling = new Polling(REFRESH_MS, load, draw, byId('problem'));

/** Shows the login. @param {boolean} passwordSet @param {string} [message] the reason */
function leave(passwordSet, message) {
  for (const each of [polling, system, profiles, fleet]) each.show(false);
  byId('panel').hidden = true;
  setText(byId('summary'), '');
  byId('logout').hidden = true;
  showLogin(passwordSet, message);
}

/** Shows the panel, or the login without a session. @param {string} [message] shown at the login */
async function enter(message) {
  try {
    const { admin, passwordSet } = await session();
    if (!admin) return leave(passwordSet, message);
  } catch (error) {
    return leave(true, errorMessage(error));
  }
  const { node } = await requestJson('/healthz');
  byId('login').hidden = true;
  byId('panel').hidden = false;
  byId('logout').hidden = false;
  setUpTabs([
    { id: 'games', title: textOf('games') },
    { id: 'system', title: textOf('system.tab'), polling: system },
    { id: 'profiles', title: textOf('profiles.tab'), polling: profiles },
    ...(node ? [{ id: 'fleet', title: textOf('fleet.tab'), polling: fleet }] : []),
  ]);
  polling.show(true);
}

async function load() {
  const { admin, passwordSet } = await session();
  if (!admin) return polling.shown && leave(passwordSet, textOf('admin.expired'));
  const [health, list, { players }, { games }, metrics] = await Promise.all([
    requestJson('/healthz'),
    requestJson('/api/matches'),
    requestJson('/api/players'),
    requestJson('/api/packages'),
    requestJson('/metrics', { headers: { Accept: 'application/json' } }),
  ]);
  const versions = JSON.stringify(
    games.map((/** @type {any} */ { id, installed }) => [id, installed?.version]),
  );
  if (versions !== shownVersions) await loadGames().catch(() => {}); // translated titles
  shownVersions = versions;
  return { health, list, players, games, samples: view.samplesOf(metrics) };
}

/** @param {any} state see load() */
function draw({ health, list, players, games, samples }) {
  const titles = new Map(games.map((/** @type {any} */ { id, title }) => [id, titleOf(id, title)]));
  const { engine } = health;
  /** @type {import('../../lobby/capacity.js').Capacity} */
  const { running, max, limit } = list.capacity;
  const shown = { engine, running, max, limit: textOf(`limit.${limit}`) };
  setText(byId('summary'), textOf('games.summary', shown));
  const tiles = view.tiles(health, samples);
  fill(
    byId('tiles'),
    tiles.map(([value, text]) => h('div.tile', h('b', value), h('small.muted', text))),
  );
  drawTable('matches', view.matchColumns(titles), list.matches, stopButton);
  drawTable('players', view.PLAYER_COLUMNS, players, removeButton);
  const workerColumns = view.workerColumns(samples, titles, engine === view.THREADS);
  drawTable('workers', workerColumns, view.workersOf(samples));
  drawTable('game-list', gameColumns(samples), games, uninstallButton);
}

/** @param {import('./view.js').MatchInfo} match */
const stopButton = ({ id }) =>
  button(textOf('games.stop'), () => remove(`/api/matches/${encodeURIComponent(id)}`), 'stop', {
    id: `stop-${id}`,
    'aria-label': textOf('games.stopMatch', { id: String(id) }),
  });

/** @param {import('./view.js').PlayerInfo} player */
const removeButton = ({ id, name }) =>
  confirmButton('games.remove', () => remove(`/api/players/${id}`), { name }, `remove-${id}`);

/** @param {import('./packages.js').GameInfo} game @returns {HTMLElement | null} null for a game of pitv */
function uninstallButton({ id, installed }) {
  const uninstall = () => remove(`/api/packages/${encodeURIComponent(id)}`);
  return installed && confirmButton('games.uninstall', uninstall, { id }, `uninstall-${id}`);
}

/** @param {string} path */
const remove = (path) => polling.act(() => request(path, { method: 'DELETE' }));

translatePage();
setUpLogin(enter);
setUpUpload(() => polling.refresh());
byId('memory').append(
  h('a', { href: '/api/records', download: '' }, textOf('games.records')),
  ' ',
  confirmButton('games.erase', () => remove('/api/records'), {}, 'erase'),
);
byId('logout').onclick = () =>
  request('/api/admin/logout', { method: 'POST' }).then(
    () => enter(),
    (error) => setText(byId('problem'), errorMessage(error)),
  );

enter();
