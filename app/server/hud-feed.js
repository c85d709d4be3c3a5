/** Derives the data for phones from the frames of a match: scores, ranks, time and vibration. */
import { PHASE, PLAYER_FLAG, teamOf } from '../game/frame.js';
import { isDraw, readClock, readEvents, readPlayers, readTeams } from '../game/frame-reader.js';

const HUD_INTERVAL_MS = 100;
const MAX_RUMBLE_MS = 1000;

/**
 * @typedef {object} Hud
 * @property {'hud'} t @property {number} score
 * @property {number} rank from 1, the best; players with equal scores share a rank. In a game with teams, that of the
 *   team
 * @property {boolean} alive
 * @property {number} gauge 0..255
 * @property {number} phase one of PHASE
 * @property {number} round
 * @property {number} seconds whole seconds until the end of the phase
 * @property {boolean} winner
 * @property {boolean} [draw] at the end of a match that others have won, too
 * @property {boolean} [lost] at the end of a match that nobody has won
 * @property {number} [team] in a game with teams
 * @property {number[]} [teamScores] by team
 */

/**
 * Reads the values for each player's phone from a frame.
 * @param {Uint8Array} bytes the frame @param {number} [teams] number of teams of the game
 * @returns {(Hud | undefined)[]} by slot; undefined for empty slots, and for the records of teams
 */
export function hudsOf(bytes, teams = 0) {
  const { phase, round, seconds } = readClock(bytes);
  const time = { phase, round, seconds };
  const players = readPlayers(bytes);
  const teamRecords = readTeams(players, teams);
  const teamScores = teamRecords.map(({ score }) => score);
  /** @param {{flags: number}} player */
  const plays = ({ flags }) => (flags & (PLAYER_FLAG.present | PLAYER_FLAG.bot)) !== 0;
  /** @param {{flags: number}} player */
  const hasWon = ({ flags }) => (flags & PLAYER_FLAG.winner) !== 0;
  const isOver = phase === PHASE.matchOver;
  const lost = isOver && !players.some(hasWon);
  const winnersOf = () => players.filter(plays).map((player) => ({ winner: hasWon(player) }));
  const isDrawn = isOver && isDraw(winnersOf(), teamRecords);
  return players.map((player) => {
    if (!plays(player)) return undefined;
    const team = teamOf(player.flags);
    const better =
      team < teams
        ? teamScores.filter((score) => score > teamScores[team]).length
        : players.filter((other) => plays(other) && other.score > player.score).length;
    const { score, gauge, flags } = player;
    const alive = (flags & PLAYER_FLAG.alive) !== 0;
    const winner = hasWon(player);
    const ofTeam = team < teams && { team, teamScores };
    const own = { score, rank: better + 1, alive, gauge };
    const end = lost ? { lost } : winner && isDrawn && { draw: true };
    return { t: 'hud', ...own, ...time, winner, ...end, ...ofTeam };
  });
}

/** Sends updates to the phones of one match. */
export class HudFeed {
  /** @type {(string | undefined)[]} the last message to each slot's phone */
  #sent = [];
  #sentAt = -Infinity;
  #lastEvent = -1;

  /**
   * @param {{rumbleMs?: number}[]} events the game's event types
   * @param {(slot: number, text: string) => void} send sends a text to the phone of a slot, if there is one
   * @param {number} [teams] number of teams of the game
   */
  constructor(events, send, teams = 0) {
    this.events = events;
    this.teams = teams;
    this.send = send;
  }

  /** Sends what has changed in a frame. @param {Uint8Array} bytes the frame @param {number} now ms */
  frame(bytes, now) {
    /** The longest one of the frame, by slot. @type {Map<number, number> | undefined} */
    let rumbles;
    this.#lastEvent = readEvents(bytes, this.#lastEvent, ({ type, owner }) => {
      const ms = Math.min(this.events[type]?.rumbleMs ?? 0, MAX_RUMBLE_MS);
      if (ms > (rumbles?.get(owner) ?? 0)) (rumbles ??= new Map()).set(owner, ms);
    });
    rumbles?.forEach((ms, slot) => this.send(slot, JSON.stringify({ t: 'rumble', ms })));
    if (now - this.#sentAt < HUD_INTERVAL_MS) return;
    this.#sentAt = now;
    hudsOf(bytes, this.teams).forEach((hud, slot) => {
      const text = hud && JSON.stringify(hud);
      if (text === undefined || text === this.#sent[slot]) return;
      this.#sent[slot] = text;
      this.send(slot, text);
    });
  }

  /** Makes the next update complete, because a phone was added or has reconnected. */
  forget() {
    this.#sent = [];
  }
}
