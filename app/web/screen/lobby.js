import { byId, byIdAs, fill, fillList, focus, h, parseSvg, redraw, setText } from '../lib/dom.js';
import { playersText } from '../lib/games.js';
import { text as textOf } from '../lib/language.js';
import { drawPreview } from '../lib/preview.js';
import { newsText, problemText } from '../lib/reports.js';
import { playerLabel } from '../lib/player-shapes.js';

/** The screen's lobby: the code, the players, the games and the running matches. */

const MAX_SHOWN_PLAYERS = 8;
/** More players than this make the QR code smaller. */
const MAX_UNCROWDED = 4;
const MAX_SHOWN_PROBLEMS = 3;
/** Keys of texts, by strength. */
const BOTS = /** @type {const} */ (['screen.bots.easy', 'screen.bots.normal', 'screen.bots.hard']);
/** Area of the world in the large preview: its centre is beside the text, its right end is cut off. */
const HERO_AREA = Object.freeze({ x: 0.285, y: 0.05, width: 0.9, height: 0.9 });

/** @typedef {import('../lib/types.js').Game} Game */
/** @typedef {import('../lib/types.js').MatchId} MatchId */
/** @typedef {import('../lib/types.js').ScreenLobby} ScreenLobby */

/** Returns whether nobody plays a game. @param {Game} game */
const isShow = ({ players }) => players.max === 0;

export class LobbyView {
  /** @type {Game[]} */
  #games = [];
  /** Those of the games, with their pictures. @type {HTMLElement[]} */
  #cards = [];
  /** @type {ScreenLobby | null} */
  #lobby = null;
  /** @type {Game | null} */
  #chosen = null;
  /** What the list of games shows. */
  #shown = '';
  #hero = byIdAs('hero-picture', HTMLCanvasElement);
  #start = byIdAs('start', HTMLButtonElement);
  #gameList = byId('game-list');

  /** Index in BOTS. */
  #botStrength = 0;

  /**
   * @param {object} actions
   * @param {(game: string) => void} actions.start
   * @param {(match: MatchId, beside?: MatchId) => void} actions.watch beside: another match, for a split view
   * @param {(strength: number) => void} actions.setBots
   */
  constructor(actions) {
    this.actions = actions;
    this.root = byId('lobby');
    this.#start.onclick = () => this.startSelected();
    byId('lobby-bots').onclick = () => actions.setBots((this.#botStrength + 1) % BOTS.length);
  }

  /** Starts the selected game, unless too many matches are running. */
  startSelected() {
    if (this.#chosen && !this.#start.disabled) this.actions.start(this.#chosen.id);
  }

  /** @returns {string | undefined} id of the selected game */
  get chosen() {
    return this.#chosen?.id;
  }

  /** Sets the list of games. @param {Game[]} games */
  setGames(games) {
    this.#games = games;
    this.#cards = games.map((game) => this.#createGameCard(game));
    this.#shown = '';
    this.#drawGameList();
  }

  /** Shows the state of the lobby. @param {ScreenLobby} lobby */
  update(lobby) {
    this.#lobby = lobby;
    redraw(byId('qr'), lobby.qr, () => parseSvg(lobby.qr) ?? textOf('screen.noNetwork'));
    byId('where').hidden = byId('code').hidden = lobby.qr === '';
    setText(byId('join-url'), shortAddress(lobby.joinUrl));
    setText(byId('code'), lobby.code);
    byId('phone-hint').setAttribute('href', `/pad?c=${encodeURIComponent(lobby.linkCode)}`);
    drawProblems(lobby.problems ?? []);
    this.#drawCrowd(lobby.players);
    this.#drawGameList();
    this.#botStrength = lobby.botStrength ?? 0;
    setText(byId('lobby-bots'), textOf(BOTS[this.#botStrength]));
    this.#drawCapacity();
    this.#drawRecords();
  }

  /** @param {import('../lib/types.js').Player[]} players */
  #drawCrowd(players) {
    const count = players.filter(({ connected }) => connected !== false).length;
    setText(byId('crowd-title'), count ? textOf('players', { count }) : textOf('screen.noPlayers'));
    byId('crowd-hint').hidden = players.length > 0;
    byId('join').setAttribute('data-crowded', String(players.length > MAX_UNCROWDED));
    redraw(byId('crowd'), players, () => crowdOf(players));
  }

  #drawGameList() {
    const matches = this.#lobby?.matches ?? [];
    const state = JSON.stringify([
      this.#games.map(({ id, version }) => [id, version]),
      matches.map(({ id }) => id),
    ]);
    if (state === this.#shown || this.#games.length === 0) return;
    this.#shown = state;
    const focused = document.activeElement?.getAttribute('data-key');
    const live = matches.map((match) => {
      const game = this.#games.find(({ id }) => id === match.game); // it may have been removed
      const title = game?.title ?? match.title;
      return this.#createMatchCard(match, textOf('screen.watch', { title }));
    });
    const [first, second] = matches;
    if (second) live.push(this.#createMatchCard(first, textOf('menu.split'), second.id));
    const cards = [...live, ...this.#cards];
    fill(this.#gameList, cards);
    for (const card of cards) this.#drawCard(card);
    this.#choose(this.#games.find(({ id }) => id === this.#chosen?.id) ?? this.#games[0]);
    const again = cards.find((card) => focused && card.getAttribute('data-key') === focused);
    const card = again ?? this.#chosenCard; // the match of the focused one may be over
    if (focused) focus(card);
    scrollTo(card); // others may be before it now, or no longer
  }

  get #chosenCard() {
    return this.#gameList.querySelector('[aria-current="true"]');
  }

  /** @param {Element} card */
  #drawCard(card) {
    const canvas = card.querySelector('canvas');
    const game = this.#games.find(({ id }) => id === card.getAttribute('data-picture'));
    if (canvas && game) drawPreview(canvas, game);
  }

  /** @param {Game} game */
  #createGameCard(game) {
    const card = createCard(
      game.title,
      {
        'data-key': `game-${game.id}`,
        'data-game': game.id,
        'data-picture': game.id,
        'aria-label': isShow(game) ? undefined : `${game.title}. ${game.tagline}`,
      },
      isShow(game) && h('span.live.show', textOf('screen.show')),
    );
    let chosenBefore = false;
    card.onpointerdown = () => (chosenBefore = this.#chosen === game);
    card.onfocus = () => this.#choose(game);
    // The first touch or click selects the game, the second one starts it. Enter starts it at once,
    // because the focus has already selected it.
    card.onclick = (event) => {
      this.#choose(game);
      if (event.detail === 0 || chosenBefore) this.actions.start(game.id);
    };
    return card;
  }

  /** @param {import('../lib/types.js').MatchEntry} match @param {string} text @param {MatchId} [beside] */
  #createMatchCard(match, text, beside) {
    return createCard(
      text,
      {
        'data-key': `match-${match.id}-${beside}`,
        'data-match': match.id,
        'data-picture': match.game,
        'aria-label': text,
        onclick: () => this.actions.watch(match.id, beside),
      },
      h('span.live', textOf('screen.now')),
    );
  }

  /** @param {Game} game */
  #choose(game) {
    for (const card of this.#gameList.children) {
      card.setAttribute('aria-current', String(card.getAttribute('data-game') === game?.id));
    }
    if (!game || game === this.#chosen) return;
    this.#chosen = game;
    setText(byId('hero-title'), game.title);
    setText(byId('hero-tagline'), game.tagline);
    setText(byId('hero-players'), playersText(game.players));
    setText(this.#start, textOf(isShow(game) ? 'screen.show' : 'screen.start'));
    fillList(byId('hero-rules'), game.rules);
    this.#drawRecords();
    this.#drawHero();
    this.#drawCapacity();
  }

  /** Selects a game. @param {string} id */
  select(id) {
    const game = this.#games.find((one) => one.id === id);
    if (game) this.#choose(game);
  }

  async #drawHero() {
    const game = this.#chosen;
    if (!game) return;
    this.#hero.style.opacity = '0'; // hide the preview of the other game
    const drawn = await drawPreview(this.#hero, game, {
      wanted: () => game === this.#chosen,
      area: HERO_AREA,
    });
    if (drawn) this.#hero.style.opacity = '1';
  }

  /** Shows the records of the selected game, and the achievements of the evening. */
  #drawRecords() {
    const { games, awards = [] } = this.#lobby?.records ?? {};
    const { id = '', records } = this.#chosen ?? {};
    const news = [...(games?.[id] ?? []), ...awards];
    fillList(
      byId('records'),
      news.map((one) => newsText(one, records)),
    );
  }

  /** Disables the start button at the maximum number of matches, and shows the reason. */
  #drawCapacity() {
    const capacity = this.#lobby?.capacity;
    const full = capacity !== undefined && capacity.running >= capacity.max;
    this.#start.disabled = full;
    byId('hero-why').hidden = !full;
    byId('hero-players').hidden = full;
    if (!full) return;
    const { running, max } = capacity;
    setText(byId('hero-why'), textOf('screen.full', { count: running, max }));
  }

  /** Shows the lobby and focuses the selected game. */
  show() {
    this.root.hidden = false;
    this.redraw();
    this.focus();
  }

  /** Focuses the selected game, unless the lobby is hidden, or it or what covers it has the focus. */
  focus() {
    const covering = '#lobby, [role="dialog"]:not([hidden])';
    if (this.root.hidden || document.activeElement?.closest(covering)) return;
    scrollTo(this.#chosenCard);
    focus(this.#chosenCard);
  }

  /** Redraws the previews. Call it after a resize. */
  redraw() {
    for (const card of this.#gameList.children) this.#drawCard(card);
    this.#drawHero();
  }
}

/** @param {Element | null} card */
const scrollTo = (card) => card?.scrollIntoView({ block: 'nearest', inline: 'nearest' });

/** @param {string} name @param {object} props @param {Node | false} mark over the picture */
const createCard = (name, props, mark) =>
  h(
    'button.card',
    { type: 'button', 'data-nav': '', ...props },
    h('canvas.fill', { 'aria-hidden': 'true' }),
    mark,
    h('span.fill.name', name),
  );

/** Lists players, the newest of them. @param {import('../lib/types.js').Player[]} players */
function crowdOf(players) {
  // Shows the newest of those who are there: they look for their names after joining.
  const away = players.filter(({ connected }) => connected === false);
  const there = players.filter((player) => !away.includes(player));
  const places = players.length > MAX_SHOWN_PLAYERS ? MAX_SHOWN_PLAYERS - 1 : players.length;
  const listed = [...away, ...there].slice(-places);
  const shown = players.filter((player) => listed.includes(player));
  const items = shown.map(({ color, name, connected }) => {
    const look = { color, 'data-away': connected === false };
    return h('li.person.line', look, playerLabel(color, name));
  });
  const more = players.length - shown.length;
  if (more > 0) {
    const text = textOf('screen.more', { count: more });
    items.unshift(h('li.person.line', { color: '#8a84b8' }, h('span', text)));
  }
  return items;
}

/** Returns a URL as a person types it. @param {string | undefined} url @returns {string} */
export function shortAddress(url) {
  return (url ?? '')
    .replace(/^http:\/\//, '')
    .split(/[?#]/, 1)[0]
    .replace(/\/$/, '');
}

/** Shows the problems of the TV. @param {string[]} problems */
function drawProblems(problems) {
  const few = problems.slice(0, MAX_SHOWN_PROBLEMS).map((problem) => problemText(problem));
  const more = problems.length - few.length;
  if (more > 0) few.push(textOf('screen.problems.more', { count: more }));
  fillList(byId('problems'), few);
}
