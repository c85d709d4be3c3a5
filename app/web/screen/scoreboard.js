import { byId, fill, h, setText } from '../lib/dom.js';
import { PHASE, PLAYER_FLAG } from '../../game/frame.js';
import { clockText, text } from '../lib/language.js';
import { playerLabel } from '../lib/player-shapes.js';
import { bodyColors, teamOfSlot } from '../lib/teams.js';
import { pointsText, roundNumber } from './overlay.js';

/** The strip above the world: scores, the round, the time. */

/** Room around the world, part of the picture's height. */
const MARGIN_SHARE = 0.008;
/** The time is highlighted from this many seconds on. */
export const LOW_SECONDS = 10;
/** More players than this get narrow chips. */
export const MAX_WIDE_CHIPS = 4;
/** Texts of a game's extra numbers. Any word may be the name of one. @type {Map<string, (value: number) => string>} */
const EXTRA_TEXTS = new Map([
  ['spareShips', (value) => `♥ ${value}`],
  ['left', (count) => text('stage.left', { count })],
  ['teamScore', pointsText],
  ['contacts', (count) => text('stage.contacts', { count })],
]);

/** The state of a slot with a player or bot. @typedef {ReturnType<typeof listStandings>[number]} Standing */
/** @typedef {import('../lib/teams.js').TeamStanding} TeamStanding */

/**
 * Returns the area of the world, below the strip.
 * @param {number} width of the picture, px @param {number} height px @param {number} strip height of the strip, px
 */
export function worldArea(width, height, strip) {
  const margin = height * MARGIN_SHARE;
  return { x: margin, y: strip, width: width - 2 * margin, height: height - strip - margin };
}

/**
 * Combines a frame with the slots of a match.
 * @param {import('../lib/frame-view.js').FrameView} frame
 * @param {import('../lib/types.js').Slot[]} slots
 * @param {readonly string[]} colors of the players, by slot
 * @param {readonly import('../lib/types.js').TeamView[]} [teams] of the game
 * @returns by slot; in a game with teams, by team
 */
export function listStandings(frame, slots, colors, teams = []) {
  const shown = bodyColors(frame, teams, colors);
  const seated = new Map(slots.map(({ slot, player }) => [slot, player]));
  const list = [];
  for (const [slot, { flags, score }] of frame.players.entries()) {
    const seat = seated.get(slot);
    const bot = (flags & PLAYER_FLAG.bot) !== 0;
    const plays = bot || (flags & PLAYER_FLAG.present) !== 0;
    if (!plays && !seat?.away) continue;
    list.push({
      slot,
      name: seat?.name ?? text('bot'),
      color: shown[slot % shown.length], // in a game with teams, that of the team
      shape: colors[slot % colors.length], // the player's own colour, which has the shape
      team: teamOfSlot(frame, slot, teams),
      score,
      alive: plays && (flags & PLAYER_FLAG.alive) !== 0,
      bot: !seat, // nobody has the seat
      away: seat?.away === true, // the player's phone does not answer
      replaced: bot && seat !== undefined, // a bot plays for the player
      winner: (flags & PLAYER_FLAG.winner) !== 0,
      lead: false, // whether it has the highest score
    });
  }
  const best = Math.max(...list.map(({ score }) => score));
  const leaders = list.filter(({ score }) => score === best && score > 0);
  for (const each of leaders) each.lead = leaders.length < list.length;
  return list.sort((p, q) => p.team - q.team || p.slot - q.slot);
}

/**
 * Returns the round and the texts of the extra numbers.
 * @param {import('../lib/frame-view.js').FrameView} frame
 * @param {import('../lib/types.js').GameView} view
 * @returns {string}
 */
export function roundLine(frame, view) {
  const extras = (view.extra ?? []).map((name, i) => EXTRA_TEXTS.get(name)?.(frame.extra[i]) ?? '');
  const round = frame.round > 0 ? roundNumber(view, frame.round) : '';
  const parts = [round, ...extras].filter(Boolean);
  return parts.map((part) => part.replace(/ /g, '\u00a0')).join(' · '); // lines break between the parts
}

export class Scoreboard {
  #seats = '';
  /** @type {Map<number, {chip: HTMLElement, score: HTMLElement, away: HTMLElement}>} */
  #chips = new Map();

  /** @param {(id: string) => HTMLElement} [part] finds its elements */
  constructor(part = byId) {
    this.part = part;
  }

  /**
   * Shows the scores and the time of a frame.
   * @param {import('../lib/frame-view.js').FrameView} frame
   * @param {Standing[]} players
   * @param {import('../lib/types.js').GameView} view
   * @param {TeamStanding[]} teams
   */
  update(frame, players, view, teams) {
    const seats = JSON.stringify(
      [...players, ...teams].map(({ slot, name, color }) => [slot, name, color]),
    );
    if (seats !== this.#seats) this.#build(players, teams);
    this.#seats = seats;
    const playing = frame.phase === PHASE.play;
    for (const { slot, score } of teams) {
      const number = this.part('hud-teams').children[slot]?.querySelector('b');
      if (number) setText(number, String(score));
    }
    for (const player of players) {
      const parts = this.#chips.get(player.slot);
      if (!parts) continue;
      setText(parts.score, String(player.score));
      setFlag(parts.chip, 'data-out', playing && !player.alive);
      setFlag(parts.chip, 'data-lead', player.lead);
      setFlag(parts.chip, 'data-bot', player.bot);
      setFlag(parts.chip, 'data-away', player.away);
      const away = player.replaced ? 'stage.replaced' : 'stage.away';
      setText(parts.away, player.away ? text(away) : '');
    }
    setText(this.part('hud-round'), roundLine(frame, view));
    const time = this.part('hud-time');
    const timed = playing && frame.seconds > 0;
    setText(time, timed ? clockText(frame.seconds) : '');
    setFlag(time, 'data-low', timed && frame.seconds <= LOW_SECONDS);
  }

  /** @param {Standing[]} players @param {TeamStanding[]} teams */
  #build(players, teams) {
    this.#chips.clear();
    const chips = players.map((player) => {
      const { slot, color } = player;
      const who = h('div.who.line', playerLabel(player.shape, player.name));
      const away = h('div.away');
      const score = h('b', player.score);
      const chip = h('li.chip', { color, 'data-slot': slot }, h('div.names', who, away), score);
      this.#chips.set(slot, { chip, score, away });
      return chip;
    });
    const hud = this.part('hud');
    hud.setAttribute('data-many', String(chips.length > MAX_WIDE_CHIPS));
    hud.setAttribute('data-teams', String(teams.length));
    const scores = teams.map(({ name, color, score }) =>
      h('span.team', { color }, h('span', name), h('b', score)),
    );
    fill(this.part('hud-teams'), scores);
    const half = countLeft(players, teams.length);
    fill(this.part('chips-left'), chips.slice(0, half));
    fill(this.part('chips-right'), chips.slice(half));
  }
}

/**
 * Returns how many players are shown on the left: half of them, or those of the first half of the teams.
 * @param {Standing[]} players @param {number} teams number of teams
 */
export const countLeft = (players, teams) =>
  teams > 0 ? players.filter(({ team }) => team < teams / 2).length : Math.ceil(players.length / 2);

/** @param {Element} element @param {string} name @param {boolean} value */
function setFlag(element, name, value) {
  const text = String(value);
  if (element.getAttribute(name) !== text) element.setAttribute(name, text);
}
