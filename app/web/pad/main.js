import { CODE_LENGTH, cleanCode } from '../lib/code.js';
import { Connection, linkMark, socketUrl } from '../lib/connection.js';
import { byId, byIdAs, recall, remember, setText } from '../lib/dom.js';
import { InputSender } from '../lib/input-sender.js';
import { toast } from '../lib/toast.js';
import { Controls } from './controls.js';
import { Awake, calmTouch, offerFullscreen, rumble } from './device.js';
import { holdButton } from './hold.js';
import { PlayerStatus } from './player-status.js';
import { PadLobby } from './lobby.js';

/** The pad: joins, comes back, and lets its player start, join, play and leave. */

const TOKEN_KEY = 'pitv.pad.token';
const GUARD = 'pitv.play';
const NAME_KEY = 'pitv.pad.name';

let code = cleanCode(new URLSearchParams(location.search).get('c') ?? '');
let token = recall(TOKEN_KEY);
let name = recall(NAME_KEY) ?? '';
/** @type {{id: string | number, name: string, color: string} | null} */
let me = null;
/** @type {import('../lib/types.js').MatchId | null} */
let match = null;

const views = {
  join: byId('join'),
  lobby: byId('lobby'),
  play: byId('play'),
  waiting: byId('waiting'),
};
const hud = new PlayerStatus();
const awake = new Awake();
const sender = new InputSender({
  send: (bytes) => match !== null && connection.sendBytes(bytes),
});
const controls = new Controls((x, y, buttons) => {
  if (match !== null) sender.update(x, y, buttons);
});
const lobby = new PadLobby({
  start: (game) => connection.send({ t: 'start', game }),
  join: (id) => connection.send({ t: 'join', match: id }),
  again: () => connection.send({ t: 'again' }),
  rename,
});

/** @param {keyof typeof views} shown */
function showView(shown) {
  for (const [key, view] of Object.entries(views)) view.hidden = key !== shown;
  controls.active = shown === 'play';
  awake.set(shown !== 'join');
  if (shown === 'lobby') lobby.redraw();
}

const connection = new Connection({
  url: socketUrl(),
  hello: () => ({ t: 'hello', role: 'pad', code, name, token: token ?? undefined }),
  onMessage: receive,
  onState: drawLink,
  onDismissed(reason) {
    if (reason === 'removed') return leave('The admin has removed you. To play on, join again.');
    setText(byId('waiting-text'), 'You play on another page now.');
    byId('waiting-button').hidden = false;
    return showView('waiting');
  },
});

/** @param {any} message */
function receive(message) {
  switch (message.t) {
    case 'welcome':
      return onWelcome(message);
    case 'lobby':
      return onLobby(message);
    case 'match':
      return onMatch(message);
    case 'hud':
      return hud.update(message);
    case 'rumble':
      return rumble(message.ms);
    case 'ended':
      return onEnded(message);
    case 'error':
      return onError(message);
    case 'notice':
      if (message.level === 'error') toast(message.message, message.level);
      return;
  }
}

/** @param {any} message */
function onWelcome(message) {
  token = message.token;
  me = message.player;
  remember(TOKEN_KEY, token);
  setMe();
  byId('waiting-button').hidden = true;
  if (match === null) showView('lobby');
}

function setMe() {
  if (!me) return;
  document.documentElement.style.setProperty('--player', me.color);
  lobby.setName(me.name);
  setText(byId('play-name'), me.name);
}

/** @param {import('../lib/types.js').PadLobbyState} message */
function onLobby(message) {
  lobby.update(message);
  if (me) Object.assign(me, { name: message.me.name, color: message.me.color });
  setMe();
  if (message.me.match === null && match !== null) leavePlay(); // it ended while the line was down
}

/** @param {any} message */
function onMatch(message) {
  if (!me) return;
  const resumed = match === message.match;
  match = message.match;
  if (!resumed) {
    controls.release();
    hud.begin(me, message);
  }
  lobby.hideResult();
  showView('play');
  guardBack();
}

/** A thumb on the stick is near the edge that phones take for "back": in play it leads nowhere. */
function guardBack() {
  if (history.state !== GUARD) history.pushState(GUARD, '');
}

/** @param {any} message */
function onEnded(message) {
  if (match === null || !me) return;
  leavePlay();
  lobby.showResult(me, message);
}

function leavePlay() {
  controls.release();
  match = null;
  showView('lobby');
}

/** @param {{code: string, message: string}} error */
function onError(error) {
  if (connection.state === 'open') return toast(error.message, 'error');
  // Not let in. A token from long ago is no mistake of the one who holds the phone.
  const silent = token !== null && code === '';
  leave(silent ? '' : error.message);
}

/** Forgets the player. @param {string} message why, or empty */
function leave(message) {
  token = null;
  match = null;
  remember(TOKEN_KEY, null);
  connection.close();
  showJoin(message);
}

/** @param {string} message why one has to join (again); empty: nothing to say */
function showJoin(message) {
  const box = byId('join-message');
  box.hidden = message === '';
  box.textContent = message;
  byIdAs('join-code', HTMLInputElement).value = code;
  byIdAs('join-name', HTMLInputElement).value = name;
  showView('join');
}

/** @param {string} wanted */
function rename(wanted) {
  name = wanted;
  remember(NAME_KEY, name);
  connection.send({ t: 'name', name });
  if (me) me.name = name;
  setMe();
}

byIdAs('join-code', HTMLInputElement).oninput = (event) => {
  const field = /** @type {HTMLInputElement} */ (event.target);
  const clean = cleanCode(field.value);
  if (clean !== field.value.toUpperCase() || clean.length === CODE_LENGTH) field.value = clean;
};
byIdAs('join-form', HTMLFormElement).onsubmit = (event) => {
  event.preventDefault();
  code = cleanCode(byIdAs('join-code', HTMLInputElement).value);
  name = byIdAs('join-name', HTMLInputElement).value.trim();
  if (code.length < CODE_LENGTH) {
    byIdAs('join-code', HTMLInputElement).focus();
    return showJoin(`The code has ${CODE_LENGTH} letters and digits. The TV shows it.`);
  }
  remember(NAME_KEY, name);
  history.replaceState(null, '', `/pad?c=${code}`); // a reload comes back in
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
  setText(byId('waiting-text'), 'Joining…');
  showView('waiting');
  connection.reopen();
};
byId('waiting-button').onclick = () => {
  byId('waiting-button').hidden = true;
  connection.reopen();
};

holdButton(byId('leave'), {
  onHeld() {
    connection.send({ t: 'leave' });
    leavePlay();
  },
  onTap: () => toast('Hold ✕ to leave the game.'),
  active: () => !views.play.hidden,
});

function drawLink() {
  const { level, text } = linkMark(connection.state, connection.rttMs);
  byId('lost').hidden = level !== 'lost' || (views.lobby.hidden && views.play.hidden);
  for (const id of ['lobby-link', 'play-link']) {
    const mark = byId(id);
    mark.setAttribute('data-level', level);
    if (mark.lastElementChild) setText(mark.lastElementChild, text);
  }
  if (!views.waiting.hidden && connection.attempts > 0) {
    setText(byId('waiting-text'), 'The TV does not answer. Trying again…');
  }
}

document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible') connection.probe();
});
addEventListener('popstate', () => {
  if (match === null) return;
  guardBack();
  toast('Hold ✕ to leave the game.');
});
addEventListener('online', () => connection.probe());
addEventListener('pageshow', (event) => event.persisted && connection.probe());
addEventListener('resize', () => !views.lobby.hidden && lobby.redraw());

calmTouch();
offerFullscreen();
// Who was in a moment ago comes back without a question; everybody else is asked first, and that
// touch is also what lets a browser vibrate and go fullscreen.
if (token) connection.open();
else showJoin('');
