import '../lib/modern.js';
import { Connection } from '../lib/connection.js';
import { byId, loadItem, saveItem, setText, toast } from '../lib/dom.js';
import { loadGames, startingText } from '../lib/games.js';
import { guardHistory, keyLetter } from '../lib/keys.js';
import { text as textOf, translatePage } from '../lib/language.js';
import { drawLinkMarks, probeOnReturn, showCutOff } from '../lib/notes.js';
import { endText, errorText, noticeText } from '../lib/reports.js';
import { Sound, unlockByTouch } from '../lib/sound.js';
import { ReplayWindow } from '../replay/window.js';
import { createKeypad } from './keypad.js';
import { LobbyView } from './lobby.js';
import { setUpLocalPlayers } from './local-players.js';
import { hideIdlePointer, setUpMargin } from './display.js';
import { MatchMenu, Menu } from './menu.js';
import { setUpParty } from './party.js';
import { Practice } from './practice.js';
import { listenToRemote } from './remote.js';
import { Split } from './split.js';
import { Stage, matchHandlers } from './stage.js';

/** The screen: selects the view, and passes messages between the server and the views. */

const TOKEN_KEY = 'pitv.screen.token';

/** The join code typed on the keypad. @type {string | undefined} */
let code;
let welcomed = false;
/** Whether the TV has to be told which match is shown, if it still runs. */
let isBack = false;
let hasGames = false;
/** The newest state of the lobby. @type {import('../lib/types.js').ScreenLobby | undefined} */
let state;
/** What says that a match is about to start. @type {HTMLElement | undefined} */
let startingToast;

translatePage();

const sound = new Sound();
const menu = new Menu(() => lobby.focus());
const replay = new ReplayWindow(() => lobby.focus());
const stage = new Stage(sound);
const lobby = new LobbyView({
  start: (game) => {
    sound.play('choose');
    connection.request({ t: 'start', game });
  },
  watch(match, beside) {
    connection.request({ t: 'watch', match });
    if (beside !== undefined) split.open(beside);
  },
  setBots: (strength) => connection.send({ t: 'bots', strength }),
});
const updateParty = setUpParty({
  menu,
  chosen: () => lobby.chosen,
  send: (message) => connection.request(message),
});
const practice = new Practice();
const keypad = createKeypad((typed) => {
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
  for (const [key, view] of Object.entries(views)) if (key !== name) view.hidden = true;
  document.body.classList.toggle('playing', name === 'stage');
  if (name === 'lobby') lobby.show();
  else views[name].hidden = false;
}

/** Plays the music of the chosen match, and updates its open menu. */
function onChange() {
  const { watched, pause, isOver } = split.chosen;
  sound.setMusic(!watched ? 'lobby' : pause.isPaused || isOver ? null : watched.game.id);
  matchMenu.update();
}

function showLobby() {
  split.close();
  stage.hide();
  onChange();
  menu.close();
  showView('lobby');
}

/** Shows the other match of a split view, or the lobby. */
function leaveMatch() {
  if (split.match === null) return showLobby();
  stage.hide();
  return split.showRight();
}

const hello = () => {
  const token = loadItem(TOKEN_KEY) ?? undefined;
  return { role: 'screen', differences: true, token, code };
};
const connection = new Connection({
  hello,
  handlers: {
    ...matchHandlers(stage, { onShown, onChange, onGone: showLobby }),
    welcome: onWelcome,
    lobby: onLobby,
    ended: onEnded,
    sticks: ({ sticks }) => practice.move(sticks),
    volume: ({ percent }) => sound.setVolume(percent),
    notice: (message) => toast(noticeText(message), message.level),
    error: onError,
    dev: (message) => import('./dev-panel.js').then(({ showDev }) => showDev(message)),
  },
  onFrame: (bytes) =>
    stage.push(bytes) || connection.send({ t: 'watch', match: stage.watched?.match }),
  onState: drawLink,
});
const split = new Split({
  stage,
  connection,
  hello,
  onChange,
  onOver: () => stage.watched || showLobby(),
});
const matchMenu = new MatchMenu({
  menu,
  split,
  sound,
  matches: () => state?.matches ?? [],
  watchReplay,
  leave() {
    connection.send({ t: 'watch', match: null });
    showLobby();
  },
});

/** @param {{token?: string}} message token: identifies the screen after a reload */
async function onWelcome({ token }) {
  if (token) saveItem(TOKEN_KEY, token);
  const watched = stage.watched?.match;
  if (watched !== undefined) isBack = true;
  else if (!welcomed || !views.keypad.hidden) showLobby();
  welcomed = true;
  await showGames();
}

async function showGames() {
  try {
    lobby.setGames(await loadGames());
    updateParty(state?.party);
    hasGames = true;
    lobby.focus();
  } catch {
    if (!hasGames) toast(textOf('screen.noGames'), 'error');
    setTimeout(showGames, 3000);
  }
}

/** @param {import('../lib/types.js').ScreenLobby} message */
function onLobby(message) {
  const before = state;
  state = message;
  if (before && message.games !== before.games) showGames();
  lobby.update(message);
  practice.setPlayers(message.players);
  showCutOff(message.cutOff);
  updateParty(message.party);
  for (const shown of document.querySelectorAll('.late b')) setText(shown, message.code);
  const { starting, matches, players } = message;
  if (starting?.game !== before?.starting?.game) {
    startingToast?.remove();
    startingToast = starting && toast(startingText(starting));
  }
  if (before && players.length > before.players.length) sound.play('join');
  // After a reconnect the watched match may have ended.
  const watched = stage.watched?.match;
  const runs = matches.some(({ id }) => id === watched);
  if (watched !== undefined && !runs && (isBack || !stage.isOver)) {
    leaveMatch();
    toast(textOf('end.done')); // while the connection was lost, or with the TV
  } else if (isBack && runs) connection.send({ t: 'watch', match: watched });
  isBack = false;
  matchMenu.update();
}

/** @param {import('../lib/types.js').Game} game of the match on the stage */
function onShown(game) {
  menu.close();
  replay.close();
  if (stage.watched?.match === split.match) split.close();
  split.restore(state?.matches ?? []);
  onChange();
  showView('stage');
  lobby.select(game.id); // to play it again; it draws no picture while it is hidden
  guardMatch();
  if (document.activeElement instanceof HTMLElement) document.activeElement.blur();
}

/** @param {{match: unknown, reason: string, message?: string}} message */
function onEnded(message) {
  if (message.match !== stage.watched?.match) return;
  const isAlone = split.match === null;
  leaveMatch();
  const text = endText(message);
  if (message.reason === 'failed' && isAlone) {
    menu.open(textOf('menu.ended'), [{ text: textOf('ok') }], text);
  } else if (message.reason !== 'done') toast(text);
}

/** @param {{code: string, message: string}} error */
function onError(error) {
  if (welcomed && connection.state === 'open') return toast(errorText(error), 'error');
  // Not admitted: the code is missing, wrong, or from before a restart.
  const hadCode = code !== undefined;
  code = undefined;
  connection.close();
  replay.close();
  showLobby(); // nothing covers the keypad, and the music of the match ends
  showView('keypad');
  keypad.show(hadCode ? errorText(error) : '');
}

/** Plays the last seconds of the match over it. */
function watchReplay() {
  const { watched } = split.chosen;
  if (watched) void replay.open(watched.match);
}

/** Starts the selected game in the lobby, or continues the match or the replay. */
function play() {
  if (menu.isOpen) menu.close();
  else if (replay.player) replay.player.toggle();
  else if (split.chosen.pause.isPaused) matchMenu.pause();
  else if (!views.lobby.hidden) lobby.startSelected();
}

function goBack() {
  const covering = cover();
  if (covering) covering.close();
  else if (split.match !== null) split.showChosen();
  else if (stage.watched) matchMenu.open();
  else if (!views.keypad.hidden) keypad.erase();
}

/** Returns what covers the match, if anything. */
const cover = () => (menu.isOpen ? menu : replay.player);

const pressRemote = listenToRemote({
  scope: () => cover()?.root ?? (views.keypad.hidden ? views.lobby : views.keypad),
  onMove: () => sound.play('move'),
  actions: {
    left: () => cover() || split.choose(false),
    right: () => cover() || split.choose(true),
    back: goBack,
    red: () => stage.watched && !replay.player && matchMenu.toggle(),
    green: play,
    yellow: () => matchMenu.change('sound'),
    blue: watchReplay,
    play,
    pause: () => (replay.player ? replay.player.toggle() : matchMenu.pause()),
    playPause: () => (cover() || !stage.watched ? play() : matchMenu.pause()),
    stop: () => (replay.player ? replay.player.close() : stage.watched && matchMenu.open()),
  },
});
const guardMatch = guardHistory({ active: () => stage.watched !== null, onBack: goBack });

unlockByTouch(sound);

// It handles keys before the listeners below.
setUpLocalPlayers({
  code: () => (views.keypad.hidden ? (state?.linkCode ?? '') : ''),
  watched: () => split.chosen.watched?.match ?? null,
  covered: () => cover() !== null,
  navigate: pressRemote,
});

document.addEventListener('keydown', (event) => {
  const isPress = event.key === 'Enter' || event.key === ' ';
  // A key that is held while the view changes, such as A of a keyboard's player, presses nothing there.
  if (event.repeat) return isPress && event.preventDefault();
  const letter = views.keypad.hidden ? keyLetter(event) : ''; // a code has such letters, too
  if (letter === 'M') matchMenu.change('sound');
  if (letter === 'N') matchMenu.change('music');
  if (letter === 'P' && !replay.player) matchMenu.pause();
  if (event.key !== 'Enter' || !stage.watched || cover()) return undefined;
  event.preventDefault(); // otherwise the same key press would activate the menu's first entry
  return matchMenu.open();
});

hideIdlePointer();
setUpMargin();

function drawLink() {
  const fps = stage.fps ? ` · ${textOf('link.fps', { fps: stage.fps })}` : '';
  const level = drawLinkMarks({ 'lobby-link': '', 'stage-link': fps }, connection);
  stage.drawStill(level === 'lost' || !byId('cut-off').hidden);
  byId('lost').hidden = level !== 'lost' || !welcomed || !views.keypad.hidden;
  if (welcomed) return;
  const lost = connection.attempts > 0;
  setText(byId('waiting-text'), textOf(lost ? 'connection.retrying' : 'connection.connecting'));
}

addEventListener('resize', () => !lobby.root.hidden && lobby.redraw());
probeOnReturn(connection);

connection.open();
