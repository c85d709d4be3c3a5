import { button, byId, h } from '../lib/dom.js';
import { text as textOf } from '../lib/language.js';
import { endText } from '../lib/reports.js';
import { shapeIcon } from '../lib/shape-icon.js';
import { ReplayWindow } from '../replay/window.js';
import { placeText } from './player-status.js';
import { shareResult } from './result-picture.js';

/** The result of the last match, in the phone's lobby. */

/** @typedef {import('../lib/types.js').Result} Result */
/** @typedef {import('../lib/types.js').TeamResult} TeamResult */

export class PadResult {
  #again;
  #replay = new ReplayWindow();

  /** @param {() => void} again plays the game again */
  constructor(again) {
    this.#again = again;
  }

  /**
   * Shows the result of a match.
   * @param {{id: string | number}} me
   * @param {{match: import('../lib/types.js').MatchId, reason: string, message?: string, results?: Result[],
   *   teams?: TeamResult[], game: string, notes: string[]}} end game: its title; notes: sentences about what the player
   *   has achieved
   * @param {import('../lib/types.js').TeamView[]} [names] the game's teams in the page's language
   */
  show(me, end, names = []) {
    const { reason, game, notes, teams = [] } = end;
    const results = (end.results ?? []).map((result) => ({
      ...result,
      name: result.player === null ? textOf('bot') : result.name,
    }));
    const mine = results.findIndex(({ player }) => player === me.id);
    const title = reason !== 'done' || mine < 0 ? endText(end) : outcome(results, mine, teams);
    const picture = { game, headline: title, lines: results };
    const failed = reason === 'failed';
    byId('result').replaceChildren(
      h('h3', { text: failed ? textOf('pad.sorry') : title }),
      ...(failed ? [h('p', { text: title })] : []),
      ...notes.map((text) => h('p', { class: 'note', text })),
      h(
        'ol',
        {},
        ...teams
          .map((team, i) => ({ ...team, name: names[i]?.name ?? team.name }))
          .sort((a, b) => b.score - a.score)
          .map((team) => line('team', team.color, team)),
        ...results.map((result, i) => {
          const color = teams[result.team ?? -1]?.color ?? result.color;
          return line(i === mine ? 'mine' : '', color, result, shapeIcon(result.color));
        }),
      ),
      button(textOf('pad.again'), this.#again, 'primary'),
      ...(reason === 'done'
        ? [button(textOf('pad.share'), () => shareResult(picture), 'share')]
        : []),
      button(textOf('replay.watch'), () => this.#replay.open(end.match), 'share'),
    );
    byId('result').hidden = false;
    byId('lobby').scrollTop = 0;
  }

  /** Hides it. */
  hide() {
    byId('result').hidden = true;
  }
}

/**
 * Creates a line of the result.
 * @param {string} look @param {string} color @param {{name: string, score: number}} one @param {...Node} icon
 */
const line = (look, color, { name, score }, ...icon) =>
  h(
    'li',
    { class: look, color },
    ...icon,
    h('span', { text: name }),
    h('b', { text: String(score) }),
  );

/**
 * Describes how a match went for a player.
 * @param {Result[]} results @param {number} mine index in `results` @param {TeamResult[]} teams
 * @returns {string}
 */
function outcome(results, mine, teams) {
  if (teams.length > 0 && teams.every(({ winner }) => winner)) return textOf('stage.draw');
  if (results[mine].winner) return textOf('pad.won');
  const isWon = [...results, ...teams].some(({ winner }) => winner);
  if (!isWon) return textOf(teams.length > 0 ? 'stage.draw' : 'stage.gameOver');
  if (teams.length === 2) return textOf('pad.lost');
  return textOf('pad.came', { place: placeText(placeOf(results[mine], results, teams)) });
}

/**
 * Returns the place of a player, or of the player's team; equal scores share one.
 * @param {Result} result @param {Result[]} results @param {TeamResult[]} teams
 */
function placeOf(result, results, teams) {
  const own = teams[result.team ?? -1];
  const all = own ? teams : results;
  return 1 + all.filter(({ score }) => score > (own ?? result).score).length;
}
