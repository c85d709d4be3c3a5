import { byId, setText } from '../lib/dom.js';
import { PHASE } from '../lib/frame.js';

/** What the phone shows of its player while playing. */

/** @typedef {import('../lib/types.js').Hud} Hud */

const GAUGE_FULL = 255;

/** @param {number} place @returns {string} 1st, 2nd, 3rd, 4th … */
export function ordinal(place) {
  const tens = place % 100;
  const suffix = tens > 10 && tens < 14 ? 'th' : (['th', 'st', 'nd', 'rd'][place % 10] ?? 'th');
  return `${place}${suffix}`;
}

/** @param {Hud} hud @returns {string} what is said in the middle of the phone; empty in play */
export function hudText(hud) {
  switch (hud.phase) {
    case PHASE.ready:
      return hud.seconds > 0 ? `Get ready: ${Math.ceil(hud.seconds)}` : 'Go!';
    case PHASE.play:
      return hud.alive ? '' : 'Out! Look at the TV.';
    case PHASE.roundOver:
      return hud.alive ? 'Well done!' : 'Out! Look at the TV.';
    case PHASE.matchOver:
      return hud.winner ? 'You won!' : `You are ${ordinal(hud.rank)}`;
    default:
      return '';
  }
}

export class PlayerStatus {
  #gauge = byId('gauge');
  #fill = /** @type {HTMLElement} */ (this.#gauge.firstElementChild);

  /** @param {{name: string}} player @param {{controls?: {stick?: string, a?: string, b?: string}}} match */
  begin(player, match) {
    setText(byId('play-name'), player.name);
    setText(byId('stick-label'), match.controls?.stick ?? '');
    this.#label('button-a', 'A', match.controls?.a);
    this.#label('button-b', 'B', match.controls?.b);
    for (const id of ['play-rank', 'play-clock', 'play-message']) setText(byId(id), '');
    setText(byId('play-score'), '0');
    byId('play').setAttribute('data-out', 'false');
    this.#setGauge(GAUGE_FULL);
  }

  /** @param {string} id @param {string} name @param {string | undefined} text */
  #label(id, name, text = '') {
    const button = byId(id);
    // On the button there is room for a word; the rest is for those who have it read to them.
    const word = button.querySelector('span');
    if (word) setText(word, text.split(/[:(,]/)[0].trim());
    button.setAttribute('aria-label', text ? `${name}: ${text}` : name);
  }

  /** @param {Hud} hud */
  update(hud) {
    setText(byId('play-score'), String(hud.score));
    setText(byId('play-rank'), hud.rank > 0 ? ordinal(hud.rank) : '');
    const timed = hud.phase === PHASE.play && hud.seconds > 0;
    setText(byId('play-clock'), timed ? `${Math.ceil(hud.seconds)} s` : '');
    setText(byId('play-message'), hudText(hud));
    byId('play').setAttribute('data-out', String(hud.phase === PHASE.play && !hud.alive));
    this.#setGauge(hud.gauge);
  }

  /** @param {number} gauge 0..255 */
  #setGauge(gauge) {
    const share = Math.max(0, Math.min(1, gauge / GAUGE_FULL));
    this.#fill.style.transform = `scaleX(${share})`;
    this.#gauge.setAttribute('data-full', String(share === 1));
  }
}
