import '../lib/modern.js';
import { Connection } from '../lib/connection.js';
import { byId, focus, loadItem, saveItem, setText, toast } from '../lib/dom.js';
import { gameOfMatch } from '../lib/games.js';
import { PHASE } from '../../game/frame.js';
import { InputSender, MIN_INTERVAL_MS } from '../lib/input-sender.js';
import { guardHistory, keyLetter } from '../lib/keys.js';
import { text as textOf, translatePage } from '../lib/language.js';
import { PauseNote, drawLinkMarks, probeOnReturn, showCutOff } from '../lib/notes.js';
import { errorText, newsText, noticeText } from '../lib/reports.js';
import { showPlayer } from '../lib/player-shapes.js';
import { Sound, unlockByTouch } from '../lib/sound.js';
import { Controls } from './controls.js';
import { disableGestures, enableFullscreen, holdButton, resetZoom, rumble } from './device.js';
import { JoinForm } from './join.js';
import { PlayerStatus } from './player-status.js';
import { PadLobby } from './lobby.js';
import { PadResult } from './result.js';
import { Tutorial } from './tutorial.js';
import { keepAwake } from './wake-lock.js';

/** The pad: joins the TV, reconnects, and lets the player start, join, play and leave games. */

const TOKEN_KEY = 'pitv.pad.token';
/** Interval of the stick in the lobby, ms: 20 messages a second. */
const PRACTICE_INTERVAL_MS = 50;
/** The token of an earlier day, by which the TV remembers the name and colour. */
const PAST_KEY = 'pitv.pad.past';

let token = loadItem(TOKEN_KEY);
/** @type {{id: string | number, name: string, color: string} | null} */
let me = null;
/**
 * The match that this phone plays. title and records: of its game; news: records and achievements
 * @type {{match: import('../lib/types.js').MatchId, version: string, title: string,
 *   records?: import('../lib/types.js').Game['records'], news: import('../lib/types.js').News[]} | null}
 */
let played = null;
/** The newest state of the lobby. @type {import('../lib/types.js').PadLobbyState | undefined} */
let state;
/** Whether the stick moves the player's ball in the lobby of a screen. */
let practises = false;

translatePage();

const views = {
  join: byId('join'),
  lobby: byId('lobby'),
  play: byId('play'),
  waiting: byId('waiting'),
};
const fullscreen = byId('fullscreen');
const form = new JoinForm({
  onShown: () => showView('join'),
  onJoin() {
    setText(byId('waiting-text'), textOf('connection.connecting'));
    showView('waiting');
    connection.reopen();
  },
});
const hud = new PlayerStatus();
const sound = new Sound();
const tutorial = new Tutorial();
const pause = new PauseNote();
const setAwake = keepAwake();
const sender = new InputSender(
  (bytes) => (!played && !practises) || connection.sendBytes(bytes), // it moves nothing, or is sent
);
const controls = new Controls((x, y, held) => {
  sender.update(x, y, held);
  if (played) tutorial.update({ x, y, held });
  else if (practises) tutorial.practise({ x, y, held });
});
const lobby = new PadLobby({ send: (message) => connection.request(message), rename });
const result = new PadResult(() => connection.request({ t: 'again' }));

/** @param {keyof typeof views} shown */
function showView(shown) {
  for (const [key, view] of Object.entries(views)) view.hidden = key !== shown;
  views[shown].querySelector('header')?.append(fullscreen); // the lobby and the game share the button
  controls.active = shown === 'play' && !pause.isPaused;
  controls.moveTo(shown === 'play' ? views.play : byId('practice'));
  sender.intervalMs = shown === 'play' ? MIN_INTERVAL_MS : PRACTICE_INTERVAL_MS;
  setAwake(shown === 'join' ? 'off' : shown === 'play' ? 'match' : 'lobby');
  if (shown === 'play') resetZoom();
  if (shown === 'lobby') lobby.drawPreviews();
  const focused = document.activeElement;
  const isLost = Object.values(views).some((view) => view.hidden && view.contains(focused));
  // Otherwise a keyboard or a screen reader would begin at the top of the page.
  if (isLost || focused === document.body) focus(views[shown]);
  drawLink(); // the note about a lost connection belongs to the lobby and the game
}

const connection = new Connection({
  hello: () => ({
    role: 'pad',
    code: form.code,
    name: form.name,
    token: token ?? loadItem(PAST_KEY) ?? undefined,
    word: textOf('pad.player'),
    match: played?.match, // the TV tells its end if this phone has missed it
  }),
  handlers: {
    welcome: onWelcome,
    lobby: onLobby,
    match: onMatch,
    pause({ paused }) {
      pause.set(paused);
      controls.active = !pause.isPaused; // its keys would not press the buttons
    },
    hud(message) {
      if (hud.update(message)) sound.play('won');
      if (message.phase === PHASE.matchOver) tutorial.stop(); // it would stand below the result
    },
    rumble: ({ ms }) => rumble(ms),
    ended: onEnded,
    news({ match, news }) {
      if (played && played.match === match) played.news = news;
    },
    error: onError,
    notice: (message) => message.level === 'error' && toast(noticeText(message), message.level),
  },
  onState: drawLink,
  onDismissed(reason) {
    if (reason === 'removed') return leave(textOf('pad.removed'));
    setText(byId('waiting-text'), textOf('pad.replaced'));
    byId('take-over').hidden = false;
    return showView('waiting');
  },
});

/** @param {any} message */
function onWelcome(message) {
  token = message.token;
  me = message.player;
  saveItem(TOKEN_KEY, token);
  saveItem(PAST_KEY, token);
  showMe();
  byId('take-over').hidden = true;
  if (!played) showView('lobby');
}

/** Shows the player's name and colour. */
function showMe() {
  if (!me) return;
  document.documentElement.style.setProperty('--player', me.color);
  lobby.setPlayer(me);
  showPlayer(byId('play-name'), me);
}

/** @param {import('../lib/types.js').PadLobbyState} message */
function onLobby(message) {
  state = message;
  practises = message.practice;
  byId('practice').hidden = !practises;
  lobby.update(message);
  showCutOff(message.cutOff);
  drawUnshown();
  if (me) Object.assign(me, { name: message.me.name, color: message.me.color });
  showMe();
  if (message.me.match !== null || !played) return;
  const runs = message.matches.some(({ id }) => id === played?.match);
  leavePlay();
  toast(textOf(runs ? 'end.away' : 'end.done')); // while the connection was lost, or with the TV
}

/** Says that no screen shows the match of this phone, if that is so. */
function drawUnshown() {
  const entry = state?.matches.find(({ id }) => id === played?.match);
  byId('unshown').hidden = !entry || entry.shown;
  setText(byId('unshown'), textOf('pad.unshown', { title: played?.title ?? '' }));
}

/** @param {any} message */
function onMatch(message) {
  if (!me) return;
  const { match, version, title } = message;
  if (played?.match !== match || played?.version !== version) {
    controls.release();
    hud.begin(message);
    tutorial.stop();
    played = { match, version, title, news: message.news };
    showGameTexts(message, played);
    drawUnshown();
  }
  result.hide();
  pause.set(message.paused);
  showView('play');
  guardMatch();
}

/** Shows the texts of the game in the page's language. @param {any} message @param {NonNullable<typeof played>} own */
async function showGameTexts(message, own) {
  const game = await gameOfMatch(own.match, message.game, own.version).catch(() => null);
  if (own !== played) return;
  const labels = game?.controls ?? message.controls ?? {};
  own.title = game?.title ?? own.title;
  own.records = game?.records;
  drawUnshown();
  hud.label(labels);
  hud.teams = game?.teams ?? [];
  tutorial.begin(labels);
}

/** @param {any} message */
function onEnded(message) {
  if (!played || !me) return;
  const { news, records, title } = played;
  const { id } = me;
  leavePlay();
  const own = news.filter(({ people }) => people.some((person) => person.id === id));
  const notes = own.map((one) => newsText(one, records, true));
  result.show(me, { ...message, game: title, notes }, hud.teams);
}

function leavePlay() {
  controls.release();
  tutorial.stop();
  played = null;
  showView('lobby');
}

/** @param {{code: string, message: string}} error */
function onError(error) {
  if (connection.state === 'open') return toast(errorText(error), 'error');
  // Not admitted. An expired token is not an error of the player, so it is not reported.
  const silent = token !== null && form.code === '';
  leave(silent ? '' : errorText(error));
}

/** Forgets the player. @param {string} message the reason, or '' */
function leave(message) {
  token = null;
  played = null;
  saveItem(TOKEN_KEY, null);
  connection.close();
  form.show(message);
}

/** Changes the player's name. @param {string} wanted */
function rename(wanted) {
  form.rename(wanted);
  connection.send({ t: 'name', name: wanted });
  if (me) me.name = wanted;
  showMe();
}

byId('take-over').onclick = () => {
  byId('take-over').hidden = true;
  connection.reopen();
};

byId('hold').onclick = () => connection.send({ t: 'hold' });
const togglePause = () => connection.send({ t: 'pause', on: !pause.isPaused });
byId('pause').onclick = byId('go-on').onclick = togglePause;
// Enter and the space bar are buttons of the game, so they cannot press that of the page.
document.addEventListener('keydown', (event) => {
  if (!views.play.hidden && !event.repeat && keyLetter(event) === 'P') togglePause();
});

holdButton(byId('leave'), {
  onHeld() {
    connection.request({ t: 'leave' });
    leavePlay();
  },
  onTap: () => toast(textOf('pad.leaveHint')),
  active: () => !views.play.hidden,
});

holdButton(byId('stop'), {
  onHeld: () => connection.request({ t: 'stop' }),
  onTap: () => toast(textOf('pause.hold')),
});

function drawLink() {
  const level = drawLinkMarks({ 'lobby-link': '', 'play-link': '' }, connection);
  byId('lost').hidden = level !== 'lost' || (views.lobby.hidden && views.play.hidden);
  if (!views.waiting.hidden && connection.attempts > 0) {
    setText(byId('waiting-text'), textOf('connection.retrying'));
  }
}

const guardMatch = guardHistory({
  active: () => played !== null,
  onBack: () => toast(textOf('pad.leaveHint')),
});
addEventListener('resize', () => !views.lobby.hidden && lobby.drawPreviews());
probeOnReturn(connection);

disableGestures();
unlockByTouch(sound);
enableFullscreen(fullscreen);
// A player with a token reconnects at once. Others see the form to join first; touching it also allows
// the browser to vibrate and go fullscreen.
const problem = form.checkLink();
if (token) connection.open();
else form.show(problem);
