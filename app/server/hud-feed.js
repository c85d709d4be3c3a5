/** What a phone shows and feels of its match, made from the frames: a few numbers, not bodies. */
import { PLAYER_FLAG } from '../game/frame.js';
import { readClock, readEvents, readPlayers } from '../game/frame-reader.js';

const HUD_INTERVAL_MS = 100;
const RUMBLE_MAX_MS = 1000;

/**
 * @typedef {object} Hud
 * @property {'hud'} t
 * @property {number} score
 * @property {number} rank 1 is the best; equals share a rank
 * @property {boolean} alive
 * @property {number} gauge 0..255
 * @property {number} phase one of PHASE
 * @property {number} round
 * @property {number} seconds whole ones left in the phase
 * @property {boolean} winner
 */

/**
 * @param {Uint8Array} bytes a frame
 * @returns {(Hud | undefined)[]} by slot; undefined where nobody plays
 */
export function hudsOf(bytes) {
  const clock = readClock(bytes);
  const players = readPlayers(bytes);
  /** @param {{flags: number}} player */
  const plays = ({ flags }) => (flags & (PLAYER_FLAG.present | PLAYER_FLAG.bot)) !== 0;
  return players.map((player) => {
    if (!plays(player)) return undefined;
    const better = players.filter((other) => plays(other) && other.score > player.score).length;
    return {
      t: 'hud',
      score: player.score,
      rank: better + 1,
      alive: (player.flags & PLAYER_FLAG.alive) !== 0,
      gauge: player.gauge,
      phase: clock.phase,
      round: clock.round,
      seconds: clock.seconds,
      winner: (player.flags & PLAYER_FLAG.winner) !== 0,
    };
  });
}

/** Keeps the phones of one match up to date. */
export class HudFeed {
  /** @type {(string | undefined)[]} what each slot's phone was told last */
  #told = [];
  #toldAt = -Infinity;
  #lastEvent = -1;

  /**
   * @param {{rumbleMs?: number}[]} events the game's event types
   * @param {(slot: number, text: string) => void} send to the phone of a slot, if there is one
   */
  constructor(events, send) {
    this.events = events;
    this.send = send;
  }

  /** @param {Uint8Array} bytes a frame @param {number} now ms */
  frame(bytes, now) {
    const first = this.#lastEvent < 0;
    this.#lastEvent = readEvents(bytes, this.#lastEvent, (type, owner) => {
      const ms = this.events[type]?.rumbleMs ?? 0;
      if (ms > 0 && !first) {
        this.send(owner, JSON.stringify({ t: 'rumble', ms: Math.min(ms, RUMBLE_MAX_MS) }));
      }
    });
    if (now - this.#toldAt < HUD_INTERVAL_MS) return;
    this.#toldAt = now;
    hudsOf(bytes).forEach((hud, slot) => {
      const text = hud && JSON.stringify(hud);
      if (text === undefined || text === this.#told[slot]) return;
      this.#told[slot] = text;
      this.send(slot, text);
    });
  }

  /** Another phone, or the same one after a break, sits at a slot: it has to be told anew. */
  forget() {
    this.#told = [];
  }

  /** The match went back to a checkpoint, so its events may be numbered anew. */
  rewind() {
    this.#lastEvent = -1;
  }
}
