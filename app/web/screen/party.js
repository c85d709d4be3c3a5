import { button, byId, h } from '../lib/dom.js';
import { PARTY_GAMES, titleOf } from '../lib/games.js';
import { text as textOf } from '../lib/language.js';
import { shapeIcon } from '../lib/player-shapes.js';
import { pointsText } from './overlay.js';

/** The party on the screen: starts one, and shows its table between two games. */

const MAX_LINES = 8;

/** @typedef {NonNullable<import('../lib/types.js').ScreenLobby['party']>} PartyState */

export class PartyView {
  #root = byId('party');
  #actions;
  /** @type {PartyState | null} */
  #party = null;
  #shown = '';

  /**
   * @param {object} actions
   * @param {import('./menu.js').Menu} actions.menu
   * @param {() => string | undefined} actions.chosen id of the selected game
   * @param {(message: object) => void} actions.send
   */
  constructor(actions) {
    this.#actions = actions;
    byId('lobby-party').onclick = () => this.#openMenu();
  }

  #openMenu() {
    const { menu, chosen, send } = this.#actions;
    const isRunning = this.#party !== null && this.#party.phase !== 'over';
    const choices = isRunning
      ? [
          { text: textOf('menu.continue') },
          { text: textOf('party.end'), run: () => send({ t: 'end-party' }) },
        ]
      : PARTY_GAMES.map((games) => ({
          text: textOf('party.games', { count: games }),
          run: () => send({ t: 'party', games, first: chosen() }),
        }));
    menu.open(textOf('party.title'), choices, textOf('party.about'));
  }

  /** Shows the state of the party. @param {PartyState | null | undefined} party */
  update(party) {
    this.#party = party ?? null;
    // While a game is played, the lobby shows the games as always.
    const shown = party && party.phase !== 'playing' ? JSON.stringify(party) : '';
    if (shown === this.#shown) return;
    this.#shown = shown;
    this.#root.hidden = shown === '';
    if (party && shown !== '') this.#draw(party);
    else this.#root.replaceChildren();
  }

  /** @param {PartyState} party */
  #draw({ phase, played, games, next, restMs, table }) {
    const isOver = phase === 'over';
    const wait = h('i', { class: 'fill wait', style: `animation-duration: ${restMs}ms` });
    this.#root.replaceChildren(
      h('h2', {
        text: isOver ? winnerText(table) : textOf('party.next', { title: titleOf(next ?? '', '') }),
      }),
      h('p', { class: 'muted', text: textOf('party.played', { played, games }) }),
      h('ol', {}, ...table.slice(0, MAX_LINES).map((line) => tableLine(line, table))),
      ...(isOver ? [] : [wait]),
      button(
        textOf(isOver ? 'close' : 'party.end'),
        () => this.#actions.send({ t: 'end-party' }),
        'plain',
        { 'data-nav': '' },
      ),
    );
  }
}

/** @param {PartyState['table'][number]} line @param {PartyState['table']} table */
function tableLine({ name, color, points }, table) {
  const place = 1 + table.filter((other) => other.points > points).length;
  return h(
    'li',
    { color, 'data-place': place },
    h('b', { text: String(place) }),
    h('span', { class: 'cut' }, shapeIcon(color), name),
    h('em', { text: pointsText(points) }),
  );
}

/** @param {PartyState['table']} table not empty */
function winnerText(table) {
  const best = table.filter(({ points }) => points === table[0].points);
  return best.length === 1 ? textOf('stage.won', { name: best[0].name }) : textOf('stage.draw');
}
