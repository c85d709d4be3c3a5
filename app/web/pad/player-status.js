import { byId, setText } from '../lib/dom.js';
import { PHASE } from '../../game/frame.js';
import { clockText, text as textOf } from '../lib/language.js';

/** The player's status on the phone during play. */

/** @typedef {Omit<import('../../server/hud-feed.js').Hud, 't'>} Hud */
/** @typedef {{stick?: string, a?: string, b?: string, out?: string}} Labels */

const GAUGE_FULL = 255;

/** Returns the text of a place. @param {number} count @returns {string} 1st, 2nd, 3rd, 4th … */
export const placeText = (count) => textOf('place', { count });

/**
 * Returns the score on the phone: in a game of two teams, that of the player's team and that of the other.
 * @param {Hud} hud @returns {string}
 */
export function scoreText({ score, team, teamScores }) {
  if (team === undefined || !teamScores) return String(score);
  if (teamScores.length !== 2) return String(teamScores[team]);
  return `${teamScores[team]} : ${teamScores[1 - team]}`;
}

/** Returns the message on the phone. @param {Hud} hud @returns {string} '' during play */
export function hudText(hud) {
  switch (hud.phase) {
    case PHASE.ready:
      return hud.seconds > 0
        ? textOf('pad.ready', { count: Math.ceil(hud.seconds) })
        : textOf('pad.go');
    case PHASE.play:
      return hud.alive ? '' : textOf('pad.out');
    case PHASE.roundOver:
      if (!hud.alive) return textOf('pad.out');
      return hud.teamScores ? '' : textOf('pad.survived'); // a team may have lost with all its players
    case PHASE.matchOver:
      if (hud.lost) return textOf('stage.gameOver');
      if (hud.winner) return textOf(hud.draw ? 'stage.draw' : 'pad.won');
      if (hud.teamScores?.length === 2) return textOf('pad.lost');
      return textOf('pad.rank', { place: placeText(hud.rank) });
    default:
      return '';
  }
}

export class PlayerStatus {
  #gauge = byId('gauge');
  #fill = /** @type {HTMLElement} */ (this.#gauge.firstElementChild);
  /** Of the game, in the page's language; none until it is loaded. @type {import('../lib/types.js').TeamView[]} */
  teams = [];
  #stick = { stick: '', out: '' };
  #isOut = false;

  /** Shows the start of a match. @param {{controls?: Labels}} match */
  begin(match) {
    this.#isOut = false;
    this.label(match.controls);
    this.teams = [];
    byId('play').style.removeProperty('--player');
    for (const id of ['play-rank', 'play-clock', 'play-message']) setText(byId(id), '');
    setText(byId('play-score'), '0');
    this.#setGauge(GAUGE_FULL);
  }

  /** Labels the stick and the buttons. @param {Labels} [controls] */
  label({ stick = '', a, b, out = '' } = {}) {
    this.#stick = { stick, out };
    this.#setOut(this.#isOut);
    this.#label('button-a', 'A', a);
    this.#label('button-b', 'B', b);
  }

  /** Shows whether the player is out, and what the stick does then. @param {boolean} isOut */
  #setOut(isOut) {
    const { stick, out } = this.#stick;
    this.#isOut = isOut;
    setText(byId('stick-label'), (isOut && out) || stick);
    byId('play').setAttribute('data-out', String(isOut));
    byId('stick').setAttribute('data-idle', String(isOut && !out));
  }

  /**
   * Labels a button, or hides it if the game has no name for it.
   * @param {string} id @param {string} name @param {string | undefined} text
   */
  #label(id, name, text = '') {
    const button = byId(id);
    // The button has room for one word. Screen readers read the whole text.
    const word = button.querySelector('span');
    if (word) setText(word, text.split(/[:(,]/)[0].trim());
    button.hidden = text === '';
    button.setAttribute('aria-label', `${name} ${text}`);
  }

  #hasWon = false;

  /** Shows the player's state. @param {Hud} hud @returns {boolean} whether the player has just won */
  update(hud) {
    setText(byId('play-score'), scoreText(hud));
    const team = this.teams[hud.team ?? -1];
    if (team) byId('play').style.setProperty('--player', team.color);
    setText(byId('play-rank'), team?.name ?? (hud.rank > 0 ? placeText(hud.rank) : ''));
    const timed = hud.phase === PHASE.play && hud.seconds > 0;
    setText(byId('play-clock'), timed ? clockText(hud.seconds) : '');
    setText(byId('play-message'), hudText(hud));
    this.#setOut(hud.phase === PHASE.play && !hud.alive);
    this.#setGauge(hud.gauge);
    const before = this.#hasWon;
    this.#hasWon = hud.phase === PHASE.matchOver && hud.winner && !hud.draw;
    return this.#hasWon && !before;
  }

  /** @param {number} gauge 0..255 */
  #setGauge(gauge) {
    const share = Math.max(0, Math.min(1, gauge / GAUGE_FULL));
    this.#fill.style.transform = `scaleX(${share})`;
    this.#gauge.setAttribute('data-full', String(share === 1));
  }
}
