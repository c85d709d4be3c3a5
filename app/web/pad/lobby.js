import { byId, byIdAs, h, setText } from '../lib/dom.js';
import { drawPicture } from '../lib/pictures.js';
import { ordinal } from './player-status.js';

/** The phone between games: start one, join one, see how the last one went. */

/** @typedef {import('../lib/types.js').PadLobbyState} PadLobbyState */
/** @typedef {import('../lib/types.js').Result} Result */

export class PadLobby {
  #state = '';
  /** @type {Promise<import('../lib/types.js').Game[]> | null} */
  #games = null;

  /**
   * @param {object} actions
   * @param {(game: string) => void} actions.start
   * @param {(match: import('../lib/types.js').MatchId) => void} actions.join
   * @param {() => void} actions.again
   * @param {(name: string) => void} actions.rename
   */
  constructor(actions) {
    this.actions = actions;
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
      if (name) actions.rename(name);
    };
  }

  /** @param {string} name */
  setName(name) {
    setText(byId('me-name'), name);
    byId('rename').setAttribute('aria-label', `${name}: change your name`);
  }

  /** @param {PadLobbyState} lobby */
  update(lobby) {
    setText(
      byId('lobby-hint'),
      lobby.players > 1
        ? `${lobby.players} players are in. Whoever starts a game takes along all who are free.`
        : 'Your friends can scan the code on the TV.',
    );
    const state = JSON.stringify([lobby.games, lobby.matches]);
    if (state === this.#state) return;
    this.#state = state;
    const open = lobby.matches.filter((match) => match.open);
    byId('running').replaceChildren(
      ...open.map((match) =>
        h(
          'button',
          {
            class: 'game join',
            type: 'button',
            'data-match': match.id,
            onclick: () => this.actions.join(match.id),
          },
          h('span', { class: 'title', text: `Join ${match.title}` }),
          h('span', { class: 'more', text: 'It is running now' }),
        ),
      ),
    );
    setText(byId('games-title'), open.length > 0 ? 'Or start another one' : 'Start a game');
    byId('games').replaceChildren(
      ...lobby.games.map((game) =>
        h(
          'button',
          {
            class: 'game',
            type: 'button',
            'data-game': game.id,
            onclick: () => this.actions.start(game.id),
          },
          h('canvas', { 'aria-hidden': 'true' }),
          h('span', { class: 'title', text: game.title }),
          h('span', { class: 'more', text: playersText(game.players) }),
        ),
      ),
    );
    this.#drawPictures();
  }

  async #drawPictures() {
    this.#games ??= fetch('/api/games').then((response) => response.json());
    let games;
    try {
      games = await this.#games;
    } catch {
      this.#games = null; // without pictures the names still do
      return;
    }
    for (const card of byId('games').children) {
      const game = games.find(({ id }) => id === card.getAttribute('data-game'));
      const canvas = card.querySelector('canvas');
      if (game && canvas) drawPicture(canvas, game);
    }
  }

  /** The page is shown (again), maybe at another size. */
  redraw() {
    this.#drawPictures();
  }

  /** @param {{id: string | number}} me @param {{reason: string, message?: string, results?: Result[]}} end */
  showResult(me, { reason, message, results = [] }) {
    const mine = results.findIndex(({ player }) => player === me.id);
    const title =
      reason !== 'done' || mine < 0
        ? (message ?? 'The match has ended.')
        : results[mine].winner
          ? 'You won!'
          : `You came ${ordinal(1 + results.filter(({ score }) => score > results[mine].score).length)}`;
    const failed = reason === 'failed';
    byId('result').replaceChildren(
      h('h3', { text: failed ? 'Sorry!' : title }),
      ...(failed ? [h('p', { text: message ?? '' })] : []),
      h(
        'ol',
        {},
        ...results.map(({ name, color, score }) =>
          h('li', { color }, h('span', { text: name }), h('b', { text: String(score) })),
        ),
      ),
      h('button', {
        class: 'primary',
        type: 'button',
        text: 'Play again',
        onclick: this.actions.again,
      }),
    );
    byId('result').hidden = false;
    byId('lobby').scrollTop = 0;
  }

  hideResult() {
    byId('result').hidden = true;
  }
}

/** @param {{min: number, max: number}} players */
function playersText({ min, max }) {
  return min === max ? `${min} players` : `${min}–${max} players`;
}
