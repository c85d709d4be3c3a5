import { button, byId, byIdAs, h, redraw, setText } from '../lib/dom.js';
import { PARTY_GAMES, loadGames, playersText, startingText, titleOf } from '../lib/games.js';
import { text as textOf } from '../lib/language.js';
import { drawPreview } from '../lib/preview.js';
import { showPlayer } from '../lib/player-shapes.js';

/** The phone's lobby: starts or joins a game. */

/** @typedef {import('../lib/types.js').PadLobbyState} PadLobbyState */

export class PadLobby {
  /** Times that the games, and their titles in the page's language, were loaded. */
  #loads = 0;
  /** The games of the last message, with their versions. */
  #versions = '';
  /** @type {PadLobbyState | null} */
  #lobby = null;
  /** @type {Promise<import('../lib/types.js').Game[]> | null} */
  #games = null;

  /**
   * @param {object} actions
   * @param {(message: object) => void} actions.send
   * @param {(name: string) => void} actions.rename
   */
  constructor({ send, rename }) {
    this.send = send;
    const form = byIdAs('rename-form', HTMLFormElement);
    const field = byIdAs('rename-name', HTMLInputElement);
    byId('rename').onclick = () => {
      form.hidden = !form.hidden;
      field.value = byId('me-name').textContent ?? '';
      if (!form.hidden) field.select();
    };
    form.onsubmit = (event) => {
      event.preventDefault();
      form.hidden = true;
      field.blur();
      const name = field.value.trim();
      if (name) rename(name);
    };
  }

  /** Shows the player. @param {{name: string, color: string}} me */
  setPlayer(me) {
    showPlayer(byId('me-name'), me);
    byId('rename').setAttribute('aria-label', textOf('pad.rename', { name: me.name }));
  }

  /** Shows the state of the lobby. @param {PadLobbyState} lobby */
  update(lobby) {
    this.#lobby = lobby;
    setText(byId('lobby-hint'), hintText(lobby));
    const { starting } = lobby;
    byId('starting').hidden = !starting;
    if (starting) setText(byId('starting-text'), startingText(starting));
    setText(byId('party'), partyText(lobby.party));
    byId('party').hidden = partyText(lobby.party) === '';
    const isResting = lobby.party?.phase === 'resting'; // then any game starts the next one
    for (const id of ['games-title', 'games', 'lobby-hint']) byId(id).hidden = isResting;
    const again = byId('result').querySelector('button');
    if (again) again.hidden = isResting;
    const { phase, own } = lobby.party ?? {};
    const { games, matches } = lobby;
    const versions = JSON.stringify(games);
    if (versions !== this.#versions) this.#games = null;
    this.#versions = versions;
    redraw(byId('running'), [matches, this.#loads], () => [
      matches.map((match) => this.#matchCard(match)),
      matches.filter((match) => match.own).map((match) => this.#stopButton(match)),
      matches.some(({ place }) => place > 0) &&
        button(textOf('pad.leaveLine'), () => this.send({ t: 'wait', match: null }), 'stop'),
    ]);
    redraw(byId('party-buttons'), [phase, own], () => this.#partyButtons(lobby.party));
    setText(byId('games-title'), textOf(matches.length > 0 ? 'pad.startOther' : 'pad.start'));
    const cards = () => games.map((game) => this.#gameCard(game));
    if (redraw(byId('games'), [games, this.#loads], cards) || !this.#games) this.drawPreviews();
    // The TV starts one thing at a time.
    const starts = '#games button, #party-buttons button, #result .primary';
    for (const each of document.querySelectorAll(starts))
      /** @type {HTMLButtonElement} */ (each).disabled = starting !== undefined;
  }

  /** @param {PadLobbyState['games'][number]} game */
  #gameCard({ id, title, players }) {
    const props = { 'data-game': id, onclick: () => this.send({ t: 'start', game: id }) };
    const picture = h('canvas.fill', { 'aria-hidden': 'true' });
    return card(props, titleOf(id, title), playersText(players), picture);
  }

  /** @param {PadLobbyState['matches'][number]} match */
  #matchCard(match) {
    const { id, open, place, names } = match;
    const isInLine = place > 0 && !open; // another tap would change its place
    const onclick = !isInLine && (() => this.send({ t: open ? 'join' : 'wait', match: id }));
    const props = { class: open ? 'game column join' : 'game column', 'data-match': id, onclick };
    return card(props, joinText(match), names.join(', ') || textOf('pad.runningNow'));
  }

  /** @param {PadLobbyState['matches'][number]} match */
  #stopButton({ id, game, title }) {
    const text = textOf('pad.stop', { title: titleOf(game, title) });
    return button(text, () => this.send({ t: 'stop', match: id }), 'stop');
  }

  /** @param {PadLobbyState['party']} party */
  #partyButtons(party) {
    if (!party || party.phase === 'over') {
      return PARTY_GAMES.map((games) => {
        const text = `${textOf('party.title')}: ${textOf('party.games', { count: games })}`;
        return button(text, () => this.send({ t: 'party', games }), 'plain');
      });
    }
    const next = () => this.send({ t: 'again' });
    const end = () => this.send({ t: 'end-party' });
    return [
      party.phase === 'resting' && button(textOf('pad.party.now'), next, 'primary'),
      party.own && button(textOf('party.end'), end, 'stop'),
    ];
  }

  /** Draws the previews. Call it when the page is shown or resized. */
  async drawPreviews() {
    this.#games ??= this.#loadGames();
    let games;
    try {
      games = await this.#games;
    } catch {
      this.#games = null; // the names are enough
      return;
    }
    for (const each of byId('games').children) {
      const game = games.find(({ id }) => id === each.getAttribute('data-game'));
      const canvas = each.querySelector('canvas');
      if (game && canvas) drawPreview(canvas, game);
    }
  }

  /** Loads the games, and shows their titles in the page's language. */
  async #loadGames() {
    const games = await loadGames();
    this.#loads++;
    if (this.#lobby) this.update(this.#lobby);
    return games;
  }
}

/** @param {{onclick: unknown}} props @param {string} title @param {string} more @param {...Node} picture */
const card = (props, title, more, ...picture) =>
  h(
    props.onclick ? 'button.game.column' : 'div.game.column',
    { type: 'button', ...props },
    picture,
    h('span.title', title),
    h('span.more', more),
  );

/** @param {PadLobbyState} lobby */
const hintText = ({ players }) =>
  players > 1 ? textOf('pad.together', { count: players }) : textOf('pad.invite');

/**
 * Describes the party to its player.
 * @param {PadLobbyState['party']} party @returns {string} '' without one, and during a game
 */
function partyText(party) {
  if (!party || party.phase === 'playing') return '';
  const points = textOf('points', { count: party.points });
  if (party.phase === 'over') return textOf('pad.party.over', { points });
  return textOf('pad.party.next', { title: titleOf(String(party.next), ''), points });
}

/** @param {PadLobbyState['matches'][number]} match */
function joinText({ game, title: known, open, place }) {
  const title = titleOf(game, known);
  if (open) return textOf('pad.joinMatch', { title });
  if (place === 0) return textOf('pad.full', { title });
  return place === 1 ? textOf('pad.next', { title }) : textOf('pad.inLine', { title, place });
}
