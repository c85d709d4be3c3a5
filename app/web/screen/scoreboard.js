import { byId, h, setText } from '../lib/dom.js';
import { PHASE, PLAYER_FLAG } from '../lib/frame.js';

/** The strip above the world: who has how much, the round, the time. */

const LOW_SECONDS = 10;
/** More players than this get narrow chips. */
const FEW = 4;
/** A game's own four numbers, where there is something to say about them. */
/** @type {Record<string, (value: number) => string>} */
const EXTRAS = {
  spareShips: (value) => `♥ ${value}`,
  left: (value) => `${value} left`,
  teamScore: (value) => `${value} points`,
  contacts: (value) => `${value} contacts`,
};

/**
 * @typedef {object} Standing one slot that is played
 * @property {number} slot
 * @property {string} name
 * @property {string} color
 * @property {number} score
 * @property {boolean} alive
 * @property {boolean} bot
 * @property {boolean} winner
 * @property {boolean} lead
 */

/**
 * @param {import('../lib/frame-view.js').FrameView} frame
 * @param {import('../lib/types.js').Slot[]} slots
 * @param {readonly string[]} colors by slot
 * @returns {Standing[]} by slot
 */
export function standings(frame, slots, colors) {
  const names = new Map(slots.map(({ slot, player }) => [slot, player?.name]));
  const list = [];
  for (let slot = 0; slot < frame.playerCount; slot++) {
    const { flags, score } = frame.player(slot);
    const human = (flags & PLAYER_FLAG.present) !== 0;
    if (!human && !(flags & PLAYER_FLAG.bot)) continue;
    list.push({
      slot,
      name: names.get(slot) ?? 'Bot',
      color: colors[slot % colors.length],
      score,
      alive: (flags & PLAYER_FLAG.alive) !== 0,
      bot: names.get(slot) === undefined,
      winner: (flags & PLAYER_FLAG.winner) !== 0,
      lead: false,
    });
  }
  const best = Math.max(...list.map(({ score }) => score));
  const leaders = list.filter(({ score }) => score === best && score > 0);
  for (const each of leaders) each.lead = leaders.length < list.length;
  return list;
}

/** @param {number} seconds @returns {string} 7, 42, 1:05 */
export function clockText(seconds) {
  const whole = Math.ceil(seconds);
  if (whole < 60) return String(whole);
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, '0')}`;
}

/**
 * @param {import('../lib/frame-view.js').FrameView} frame
 * @param {import('../lib/types.js').GameView} view
 * @returns {string} the round, and what else the game wants to be read
 */
export function roundLine(frame, view) {
  const extras = (view.extra ?? []).map((name, i) => EXTRAS[name]?.(frame.extra[i]) ?? '');
  const round = frame.round > 0 ? `${view.round ?? 'Round'} ${frame.round}` : '';
  return [round, ...extras].filter(Boolean).join('  ·  ');
}

export class Scoreboard {
  #left = byId('chips-left');
  #right = byId('chips-right');
  #round = byId('hud-round');
  #time = byId('hud-time');
  #seats = '';
  /** @type {Map<number, {chip: HTMLElement, score: HTMLElement, who: HTMLElement}>} */
  #chips = new Map();

  /**
   * @param {import('../lib/frame-view.js').FrameView} frame
   * @param {Standing[]} players
   * @param {import('../lib/types.js').GameView} view
   */
  update(frame, players, view) {
    const seats = JSON.stringify(players.map(({ slot, name, color }) => [slot, name, color]));
    if (seats !== this.#seats) this.#build(players, seats);
    for (const player of players) {
      const parts = this.#chips.get(player.slot);
      if (!parts) continue;
      setText(parts.score, String(player.score));
      const out = frame.phase === PHASE.play && !player.alive;
      setFlag(parts.chip, 'data-out', out);
      setFlag(parts.chip, 'data-lead', player.lead);
      setFlag(parts.chip, 'data-bot', player.bot);
    }
    const playing = frame.phase === PHASE.play;
    setText(this.#round, roundLine(frame, view));
    const timed = playing && frame.seconds > 0;
    setText(this.#time, timed ? clockText(frame.seconds) : '');
    setFlag(this.#time, 'data-low', timed && frame.seconds <= LOW_SECONDS);
  }

  /** @param {Standing[]} players @param {string} seats */
  #build(players, seats) {
    this.#seats = seats;
    this.#chips.clear();
    const chips = players.map((player) => {
      const who = h('span', { class: 'who', text: player.name });
      const score = h('b', { text: String(player.score) });
      const chip = h(
        'li',
        { class: 'chip', color: player.color, 'data-slot': player.slot },
        who,
        score,
      );
      this.#chips.set(player.slot, { chip, score, who });
      return chip;
    });
    byId('hud').setAttribute('data-many', String(chips.length > FEW));
    const half = Math.ceil(chips.length / 2);
    this.#left.replaceChildren(...chips.slice(0, half));
    this.#right.replaceChildren(...chips.slice(half));
  }
}

/** @param {Element} element @param {string} name @param {boolean} value */
function setFlag(element, name, value) {
  const text = String(value);
  if (element.getAttribute(name) !== text) element.setAttribute(name, text);
}
