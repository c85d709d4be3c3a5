import { Connection, linkMark, socketUrl } from '../lib/connection.js';
import { byId, recall, remember, setText } from '../lib/dom.js';
import { Sound } from '../lib/sound.js';
import { toast } from '../lib/toast.js';
import { Clips } from './clips.js';
import { Keypad } from './keypad.js';
import { Lobby } from './lobby.js';
import { Menu } from './menu.js';
import { listenToRemote } from './remote.js';
import { Stage } from './stage.js';

/** The screen: which view is shown, and what passes between the server and the views. */

const TOKEN_KEY = 'pitv.screen.token';
const MENU_HINT_MS = 2500;
/** Buttons for those with a mouse or a finger. */
const OVER_STAGE = ['open-menu', 'save-clip'];

/** @typedef {import('../lib/types.js').Game} Game */
/** @typedef {import('../lib/types.js').MatchId} MatchId */

/** @type {Game[]} */
let games = [];
/** typed on the keypad, where a screen needs it @type {string | undefined} */
let code;
let welcomed = false;
let knownPlayers = -1;

const sound = new Sound();
const menu = new Menu();
const clips = new Clips((message) => connection.send(message));
const stage = new Stage(sound);
const lobby = new Lobby({
  start: (game) => {
    sound.play('choose');
    connection.send({ t: 'start', game });
  },
  watch: (match) => connection.send({ t: 'watch', match }),
});
const keypad = new Keypad((typed) => {
  code = typed;
  connection.reopen();
});

const views = {
  lobby: lobby.root,
  stage: stage.root,
  keypad: keypad.root,
  waiting: byId('waiting'),
};

/** @param {keyof typeof views} name */
function showView(name) {
  for (const [key, view] of Object.entries(views)) {
    if (key !== name) view.hidden = true;
  }
  if (name === 'lobby') lobby.show();
  else views[name].hidden = false;
}

function showLobby() {
  stage.hide();
  menu.close();
  showView('lobby');
}

const connection = new Connection({
  url: socketUrl(),
  hello: () => ({ t: 'hello', role: 'screen', token: recall(TOKEN_KEY) ?? undefined, code }),
  onMessage: receive,
  onFrame: (bytes) => stage.push(bytes),
  onState: drawLink,
});

/** @param {any} message */
function receive(message) {
  switch (message.t) {
    case 'welcome':
      return onWelcome(message.token);
    case 'lobby':
      return onLobby(message);
    case 'watch':
      return onWatch(message);
    case 'slots':
      if (message.match === stage.watched?.match) stage.setSlots(message.slots);
      return;
    case 'ended':
      return onEnded(message);
    case 'clips':
      return clips.update(message);
    case 'notice':
      return toast(message.message, message.level);
    case 'error':
      return onError(message);
  }
}

/** @param {string} [token] by which a reloaded page is the same screen */
async function onWelcome(token) {
  if (token) remember(TOKEN_KEY, token);
  const watched = stage.watched?.match;
  if (watched !== undefined) connection.send({ t: 'watch', match: watched });
  else if (!welcomed || !views.keypad.hidden) showLobby();
  welcomed = true;
  await loadGames();
}

async function loadGames() {
  try {
    const response = await fetch('/api/games');
    if (!response.ok) throw new Error(`the list of games: ${response.status}`);
    games = await response.json();
    lobby.setGames(games);
    if (!lobby.root.hidden) lobby.show();
  } catch {
    if (games.length === 0) toast('The list of games did not arrive. It is tried again.', 'error');
    setTimeout(loadGames, 3000);
  }
}

/** @param {import('../lib/types.js').ScreenLobby} message */
function onLobby(message) {
  lobby.update(message);
  stage.setCode(message.code);
  if (knownPlayers >= 0 && message.players.length > knownPlayers) sound.play('join');
  knownPlayers = message.players.length;
  // After a reconnect the match that was watched may be gone.
  const watched = stage.watched?.match;
  if (watched !== undefined && !message.matches.some(({ id }) => id === watched) && !stage.isOver) {
    showLobby();
  }
}

/** @param {any} message */
async function onWatch(message) {
  if (message.match === null || message.match === undefined) return showLobby();
  if (games.length === 0) await loadGames();
  const game = games.find(({ id }) => id === message.game);
  if (!game) return toast('This game is new. Reload the page to see it.', 'warn');
  menu.close();
  stage.show({ match: message.match, game, slots: message.slots ?? [] });
  showView('stage');
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
}

/** @param {{match: MatchId, reason: string, message?: string}} message */
function onEnded({ match, reason, message }) {
  if (stage.watched?.match !== match) return;
  showLobby();
  if (reason === 'failed') {
    menu.open('The match has ended', [{ text: 'OK' }], {
      text: message ?? 'The game failed again and again.',
    });
  } else if (reason !== 'done') toast(message ?? 'The match has ended.');
}

/** @param {{code: string, message: string}} error */
function onError(error) {
  if (welcomed && connection.state === 'open') return toast(error.message, 'error');
  // Not let in: the code is missing, wrong, or from before a restart.
  const hadCode = code !== undefined;
  code = undefined;
  connection.close();
  stage.hide();
  showView('keypad');
  keypad.show(hadCode ? error.message : '');
}

function openMenu() {
  const { watched } = stage;
  if (!watched) return;
  menu.open(watched.game.title, [
    { text: 'Go on' },
    { text: soundText(), keepOpen: true, run: toggleSound },
    ...clips.choices(watched.match),
    { text: 'Stop the match', run: () => connection.send({ t: 'stop', match: watched.match }) },
    {
      text: 'To the lobby',
      run: () => {
        connection.send({ t: 'watch', match: null });
        showLobby();
      },
    },
  ]);
}

function openClipMenu() {
  const { watched } = stage;
  if (watched) menu.open('A clip of this match', clips.choices(watched.match));
}

const soundText = () => `Sound: ${sound.enabled ? 'on' : 'off'}`;

function toggleSound() {
  sound.toggle();
  sound.play('choose');
  setText(byId('lobby-sound'), soundText());
  const inMenu = [...menu.root.querySelectorAll('button')].find((button) =>
    button.textContent?.startsWith('Sound'),
  );
  if (inMenu) setText(inMenu, soundText());
}

listenToRemote({
  scope: () =>
    menu.isOpen
      ? menu.root
      : clips.isOpen
        ? clips.root
        : !views.keypad.hidden
          ? views.keypad
          : views.lobby,
  onMove: () => sound.play('move'),
  onBack: () => {
    if (menu.isOpen) menu.close();
    else if (clips.isOpen) clips.back();
    else if (stage.watched) openMenu();
    else if (!views.keypad.hidden) keypad.erase();
  },
});

for (const type of ['keydown', 'pointerdown']) {
  document.addEventListener(type, () => sound.unlock(), { capture: true });
}

document.addEventListener('keydown', (event) => {
  if (event.key === 'm' || event.key === 'M') {
    if (views.keypad.hidden) toggleSound();
  } else if (event.key === 'Enter' && stage.watched && !menu.isOpen && !clips.isOpen) {
    event.preventDefault(); // or the same key press would choose in the menu it opens
    openMenu();
  }
});

// With a mouse or a finger there is no Back key: moving shows a button.
let hintTimer = /** @type {ReturnType<typeof setTimeout> | undefined} */ (undefined);
document.addEventListener('pointermove', () => {
  for (const id of OVER_STAGE) byId(id).hidden = false;
  clearTimeout(hintTimer);
  hintTimer = setTimeout(() => {
    for (const id of OVER_STAGE) byId(id).hidden = true;
  }, MENU_HINT_MS);
});
byId('open-menu').onclick = openMenu;
byId('save-clip').onclick = openClipMenu;
byId('lobby-sound').onclick = toggleSound;
setText(byId('lobby-sound'), soundText());

function drawLink() {
  const { level, text } = linkMark(connection.state, connection.rttMs);
  byId('lost').hidden = level !== 'lost' || !welcomed || !views.keypad.hidden;
  for (const id of ['lobby-link', 'stage-link']) {
    const mark = byId(id);
    mark.setAttribute('data-level', level);
    const fps = id === 'stage-link' && stage.fps && level !== 'lost' ? ` · ${stage.fps} fps` : '';
    const label = mark.lastElementChild;
    if (label) setText(label, text + fps);
  }
  if (!welcomed) {
    const lost = connection.attempts > 0;
    setText(
      byId('waiting-text'),
      lost ? 'The TV does not answer. Trying again…' : 'Looking for the TV…',
    );
  }
}

addEventListener('resize', () => {
  if (!lobby.root.hidden) lobby.redraw();
});
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible') connection.probe();
});
addEventListener('online', () => connection.probe());

connection.open();
