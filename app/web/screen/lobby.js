import { byId, byIdAs, h, setText, svgElement } from '../lib/dom.js';
import { drawPicture } from '../lib/pictures.js';

/** What the sofa sees between games: how to join, who is in, which games there are. */

const SHOWN_PLAYERS = 8;
const CROWD = 4;
const SHOWN_PROBLEMS = 3;
/** Where the big picture has the world: its middle beside the text, its right end cut off. */
const HERO_AREA = Object.freeze({ x: 0.285, y: 0.05, width: 0.9, height: 0.9 });

/** @typedef {import('../lib/types.js').Game} Game */
/** @typedef {import('../lib/types.js').ScreenLobby} ScreenLobby */

export class Lobby {
  /** @type {Game[]} */
  #games = [];
  /** @type {ScreenLobby | null} */
  #lobby = null;
  /** @type {Game | null} */
  #chosen = null;
  #shown = { qr: '', crowd: '', gameList: '' };
  #hero = byIdAs('hero-picture', HTMLCanvasElement);
  #start = byIdAs('start', HTMLButtonElement);
  #gameList = byId('game-list');

  /**
   * @param {object} actions
   * @param {(game: string) => void} actions.start
   * @param {(match: import('../lib/types.js').MatchId) => void} actions.watch
   */
  constructor(actions) {
    this.actions = actions;
    this.root = byId('lobby');
    this.#start.onclick = () => this.#chosen && actions.start(this.#chosen.id);
  }

  /** @param {Game[]} games */
  setGames(games) {
    this.#games = games;
    this.#shown.gameList = '';
    this.#drawGameList();
  }

  /** @param {ScreenLobby} lobby */
  update(lobby) {
    this.#lobby = lobby;
    if (lobby.qr !== this.#shown.qr) {
      this.#shown.qr = lobby.qr;
      byId('qr').replaceChildren(...[svgElement(lobby.qr)].filter((svg) => svg !== null));
    }
    setText(byId('join-url'), shortAddress(lobby.joinUrl));
    setText(byId('code'), lobby.code);
    byId('phone-hint').setAttribute('href', `/pad?c=${encodeURIComponent(lobby.code)}`);
    drawProblems(lobby.problems ?? []);
    this.#drawCrowd(lobby.players);
    this.#drawGameList();
    this.#drawRoom();
  }

  /** @param {import('../lib/types.js').Player[]} players */
  #drawCrowd(players) {
    const title =
      players.length === 0
        ? 'Nobody is in yet'
        : players.length === 1
          ? '1 player is in'
          : `${players.length} players are in`;
    setText(byId('crowd-title'), title);
    byId('crowd-hint').hidden = players.length > 0;
    byId('join').setAttribute('data-crowded', String(players.length > CROWD));
    const state = JSON.stringify(players);
    if (state === this.#shown.crowd) return;
    this.#shown.crowd = state;
    // Who came last is shown: a person looks for their own name after joining.
    const shown = players.length > SHOWN_PLAYERS ? players.slice(1 - SHOWN_PLAYERS) : players;
    const known = new Map(
      [...byId('crowd').children].map((item) => [item.getAttribute('data-player'), item]),
    );
    const items = shown.map((player) => {
      const item = known.get(String(player.id)) ?? h('li', { class: 'person' });
      if (item instanceof HTMLElement) item.style.setProperty('--player', player.color);
      item.setAttribute('data-player', String(player.id));
      item.setAttribute('data-away', String(player.connected === false));
      item.replaceChildren(h('span', { text: player.name }));
      return item;
    });
    if (shown.length < players.length) {
      const more = h('li', { class: 'person', color: '#8a84b8' });
      more.append(h('span', { text: `${players.length - shown.length} more` }));
      items.unshift(more);
    }
    byId('crowd').replaceChildren(...items);
  }

  #drawGameList() {
    const matches = this.#lobby?.matches ?? [];
    const state = JSON.stringify([this.#games.map(({ id }) => id), matches.map(({ id }) => id)]);
    if (state === this.#shown.gameList || this.#games.length === 0) return;
    this.#shown.gameList = state;
    const focused = document.activeElement?.getAttribute('data-key');
    const live = matches.flatMap((match) => {
      const game = this.#games.find(({ id }) => id === match.game);
      return game ? [this.#liveCard(match, game)] : [];
    });
    this.#gameList.replaceChildren(...live, ...this.#games.map((game) => this.#gameCard(game)));
    const again = [...this.#gameList.children].find(
      (card) => focused && card.getAttribute('data-key') === focused,
    );
    if (again instanceof HTMLElement) again.focus({ preventScroll: true });
    for (const card of this.#gameList.children) this.#drawCard(card);
    this.#choose(this.#games.find(({ id }) => id === this.#chosen?.id) ?? this.#games[0]);
  }

  /** @param {Element} card */
  #drawCard(card) {
    const canvas = card.querySelector('canvas');
    const game = this.#games.find(({ id }) => id === card.getAttribute('data-picture'));
    if (canvas && game) drawPicture(canvas, game);
  }

  /** @param {Game} game */
  #gameCard(game) {
    const card = h(
      'button',
      {
        class: 'card',
        type: 'button',
        'data-nav': '',
        'data-key': `game-${game.id}`,
        'data-game': game.id,
        'data-picture': game.id,
        'aria-label': `${game.title}. ${game.tagline}`,
      },
      h('canvas', { 'aria-hidden': 'true' }),
      h('span', { class: 'name', text: game.title }),
    );
    let chosenBefore = false;
    card.onpointerdown = () => (chosenBefore = this.#chosen === game);
    card.onfocus = () => this.#choose(game);
    // A first touch or click shows what the game is, a second one starts it. Enter comes with the
    // focus there already.
    card.onclick = (event) => {
      this.#choose(game);
      if (event.detail === 0 || chosenBefore) this.actions.start(game.id);
    };
    return card;
  }

  /** @param {import('../lib/types.js').MatchEntry} match @param {Game} game */
  #liveCard(match, game) {
    const card = h(
      'button',
      {
        class: 'card',
        type: 'button',
        'data-nav': '',
        'data-key': `match-${match.id}`,
        'data-match': match.id,
        'data-picture': game.id,
        'aria-label': `Watch ${match.title}`,
      },
      h('canvas', { 'aria-hidden': 'true' }),
      h('span', { class: 'live', text: 'NOW' }),
      h('span', { class: 'name', text: `Watch ${match.title}` }),
    );
    card.onclick = () => this.actions.watch(match.id);
    return card;
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
    byId('hero-rules').replaceChildren(...game.rules.map((text) => h('li', { text })));
    this.#drawHero();
    this.#drawRoom();
  }

  async #drawHero() {
    const game = this.#chosen;
    if (!game) return;
    this.#hero.style.opacity = '0'; // the old picture must not pose as the new one
    const drawn = await drawPicture(this.#hero, game, {
      wanted: () => game === this.#chosen,
      area: HERO_AREA,
    });
    if (drawn) this.#hero.style.opacity = '1';
  }

  /** Whether there is room for one more match, and if not, why. */
  #drawRoom() {
    const room = this.#lobby?.capacity;
    const full = room !== undefined && room.running >= room.max;
    this.#start.disabled = full;
    byId('hero-why').hidden = !full;
    byId('hero-players').hidden = full;
    if (full)
      setText(byId('hero-why'), `${room.running} of ${room.max} matches run (${room.why}).`);
  }

  show() {
    this.root.hidden = false;
    this.redraw();
    const active = document.activeElement;
    if (active && active !== document.body && this.root.contains(active)) return;
    const card = this.#gameList.querySelector('[aria-current="true"]');
    if (card instanceof HTMLElement) card.focus({ preventScroll: true });
  }

  /** Pictures have the size of the page: they are redrawn after a resize. */
  redraw() {
    for (const card of this.#gameList.children) this.#drawCard(card);
    this.#drawHero();
  }
}

/** @param {{min: number, max: number}} players @returns {string} */
export function playersText({ min, max }) {
  if (max === 0) return 'Nobody plays: just watch';
  return min === max ? `${min} players` : `${min}–${max} players`;
}

/** @param {string | undefined} url @returns {string} as one would type it */
export function shortAddress(url) {
  return (url ?? '')
    .replace(/^http:\/\//, '')
    .replace(/[?#].*$/, '')
    .replace(/\/$/, '');
}

/** @param {string[]} problems */
function drawProblems(problems) {
  const few = problems.slice(0, SHOWN_PROBLEMS);
  const more = problems.length - few.length;
  if (more > 0) few.push(`${more} more on the admin page.`);
  const list = byId('problems');
  list.hidden = few.length === 0;
  list.replaceChildren(...few.map((text) => h('li', { text })));
}
