import { button, byId, focus, h, redraw } from '../lib/dom.js';
import { PARTY_GAMES, titleOf } from '../lib/games.js';
import { text as textOf } from '../lib/language.js';
import { playerLabel } from '../lib/player-shapes.js';
import { pointsText } from './overlay.js';

/** The party on the screen: starts one, and shows its table between two games. */

const MAX_LINES = 8;

/** @typedef {NonNullable<import('../lib/types.js').ScreenLobby['party']>} PartyState */

/**
 * Sets up the button of the party.
 * @param {object} actions
 * @param {import('./menu.js').Menu} actions.menu
 * @param {() => string | undefined} actions.chosen id of the selected game
 * @param {(message: object) => void} actions.send
 * @returns {(party: PartyState | null | undefined) => void} shows the state of the party
 */
export function setUpParty({ menu, chosen, send }) {
  const root = byId('party');
  /** @type {PartyState | null | undefined} */
  let current;
  const end = () => send({ t: 'end-party' });
  byId('lobby-party').onclick = () => {
    const choices =
      current && current.phase !== 'over'
        ? [{ text: textOf('menu.continue') }, { text: textOf('party.end'), run: end }]
        : PARTY_GAMES.map((games) => ({
            text: textOf('party.games', { count: games }),
            run: () => send({ t: 'party', games, first: chosen() }),
          }));
    menu.open(textOf('party.title'), choices, textOf('party.about'));
  };
  return (party) => {
    current = party;
    // While a game is played, the lobby shows the games as always.
    const isShown = party && party.phase !== 'playing';
    // The bar moves by itself, and the titles may come later.
    const state = isShown && [{ ...party, leftMs: 0 }, nextTitle(party)];
    const hadFocus = root.contains(document.activeElement);
    root.hidden = !isShown;
    if (!redraw(root, state, () => (isShown ? partyParts(party, end) : [])) || !hadFocus) return;
    const card = byId('game-list').querySelector('[aria-current="true"]');
    focus(root.querySelector('button') ?? card);
  };
}

/** @param {PartyState} party */
const nextTitle = ({ next }) => titleOf(next ?? '', '');

/** @param {PartyState} party @param {() => void} end ends the party */
function partyParts(party, end) {
  const { phase, played, games, restMs, leftMs, table } = party;
  const isOver = phase === 'over';
  const shown = table.length > MAX_LINES ? MAX_LINES - 1 : MAX_LINES;
  const more = table.length - shown;
  const style = `animation-duration: ${restMs}ms; animation-delay: ${leftMs - restMs}ms`;
  return [
    h('h2', isOver ? winnerText(table) : textOf('party.next', { title: nextTitle(party) })),
    h('p.muted', textOf('party.played', { played, games })),
    h(
      'ol',
      table.slice(0, shown).map((line) => tableLine(line, table)),
      more > 0 && h('li.muted', textOf('screen.more', { count: more })),
    ),
    !isOver && h('i.fill.wait', { style }),
    button(textOf(isOver ? 'close' : 'party.end'), end, 'plain', { 'data-nav': '' }),
  ];
}

/** @param {PartyState['table'][number]} line @param {PartyState['table']} table */
function tableLine({ name, color, points }, table) {
  const place = 1 + table.filter((other) => other.points > points).length;
  return h(
    'li.line',
    { color, 'data-place': place },
    h('b', place),
    h('div.line', playerLabel(color, name)),
    h('strong', pointsText(points)),
  );
}

/** @param {PartyState['table']} table not empty */
function winnerText(table) {
  const best = table.filter(({ points }) => points === table[0].points);
  return best.length === 1 ? textOf('stage.won', { name: best[0].name }) : textOf('stage.draw');
}
