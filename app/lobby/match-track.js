/** What counts of a match: records that its game declares, see GameRecord in ../game/define.js, and achievements. */
import { PHASE } from '../game/frame.js';
import {
  isDraw,
  readClock,
  readEvents,
  readExtra,
  readPhase,
  readTick,
} from '../game/frame-reader.js';

const TICKS_PER_TENTH = 6;
/** Until this hour of the day people should sleep. */
const WAKE_HOUR = 5;

/** @typedef {import('../match/results.js').Result} Result */
/** @typedef {Pick<import('../match/results.js').End, 'results' | 'teams'>} Scores */
/** @typedef {'close' | 'losses' | 'bots' | 'late' | 'draw'} Achievement */

export class MatchTrack {
  #phase = -1;
  /** Tick at which the round's play began; undefined if this is not known. @type {number | undefined} */
  #from;
  #lastEvent = -1;
  /** Until events, by slot and name. @type {Map<string, {name: string, player: number, tenths: number}>} */
  #times = new Map();

  /** @param {import('../match/match.js').Match} match */
  constructor(match) {
    this.match = match;
    const records = match.game.records ?? [];
    this.names = records.flatMap(({ of, from }) => (of === 'time' && from ? [from] : []));
  }

  /** Reads a frame. @param {Uint8Array} bytes @returns {boolean} whether the podium is shown */
  read(bytes) {
    const phase = readPhase(bytes);
    if (phase === PHASE.play && this.#phase === PHASE.ready) this.#from = readTick(bytes);
    if (phase === PHASE.ready) this.#from = undefined;
    this.#phase = phase;
    if (this.names.length > 0) {
      this.#lastEvent = readEvents(bytes, this.#lastEvent, ({ type, owner: slot }) => {
        const name = this.match.game.view.events[type]?.name ?? '';
        const player = this.match.seats.playerAt(slot)?.id;
        if (!this.names.includes(name) || !player || this.#from === undefined) return;
        const tenths = Math.max(1, Math.round((readTick(bytes) - this.#from) / TICKS_PER_TENTH));
        const known = this.#times.get(`${slot} ${name}`);
        if (known?.player === player && known.tenths <= tenths) return;
        this.#times.set(`${slot} ${name}`, { name, player, tenths });
      });
    }
    return phase === PHASE.matchOver;
  }

  /** Forgets the start of the round, which a checkpoint has replaced. */
  rewind() {
    this.#from = undefined;
  }

  /**
   * Returns the best of the match for a record.
   * @param {import('../game/define.js').GameRecord} record @param {Uint8Array} bytes the frame
   * @param {Result[]} people who have played, at least one
   * @returns {{value: number, people: Result[]}} value: 0 if there is none
   */
  best({ of, from = '' }, bytes, people) {
    if (of === 'round') return { value: readClock(bytes).round, people };
    const { extra } = this.match.game.view;
    if (of === 'extra') return { value: readExtra(bytes, extra.indexOf(from)), people };
    const times = [...this.#times.values()].filter(({ name }) => name === from);
    /** @param {Result} result */
    const valueOf = ({ player, score }) => {
      if (of === 'score') return score;
      return times.find((time) => time.player === player)?.tenths ?? Infinity;
    };
    const values = people.map(valueOf);
    const value = of === 'score' ? Math.max(...values) : Math.min(...values);
    if (value === Infinity) return { value: 0, people };
    return { value, people: people.filter((_one, i) => values[i] === value) };
  }
}

/**
 * Finds the achievements of a match.
 * @param {Scores} scores @param {Result[]} people whose results count
 * @param {Result[]} losers who have lost again and again @param {number} [hour] of the day, if it is known
 * @returns {[Achievement, Result[]][]} with those who have achieved it
 */
export function findAchievements(scores, people, losers, hour = WAKE_HOUR) {
  const sides = scores.teams ?? scores.results;
  const [first, second] = [...sides].sort((a, b) => b.score - a.score);
  const winners = people.filter(({ winner }) => winner);
  const isDecided = sides.filter(({ winner }) => winner).length === 1;
  const isClose = first.winner && first.score - second?.score === 1;
  const humans = scores.results.filter(({ player }) => player !== null).length;
  const isAlone = humans === 1 && scores.results.length > 1;
  return [
    ['close', isDecided && isClose ? winners : []],
    ['losses', losers],
    ['bots', isDecided && isAlone ? winners : []],
    ['late', hour < WAKE_HOUR ? people : []],
    ['draw', isDraw(scores.results, scores.teams) ? winners : []],
  ];
}
