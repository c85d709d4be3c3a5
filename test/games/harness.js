/** Plays whole matches without a screen: scripted players hold the pads, the rest is the game's. */
import { BUTTON_A, BUTTON_B, packInput } from '../../app/game/input.js';
import { PHASE } from '../../app/game/frame.js';

/**
 * What a scripted player does in a tick: stick -1..1 and the buttons it holds.
 * @typedef {{x: number, y: number, buttons: number}} Move
 * @typedef {import('../../app/game/define.js').Job} Job
 * @typedef {(job: Job, slot: number, tick: number) => Move | undefined} Player undefined: has left
 *
 * @typedef {object} MatchRecord what a match was like
 * @property {Job} job
 * @property {number} ticks
 * @property {{round: number, ticks: number, scores: number[], alive: number[]}[]} rounds as they
 *   stood when they ended, ticks of play
 * @property {number[]} scores
 * @property {number[]} winners slots
 */

/** Holds the pads: words and sequence numbers as a mailbox would give them. */
export class Pads {
  /** @param {number} slots */
  constructor(slots) {
    this.words = new Int32Array(slots);
    this.sequences = new Uint32Array(slots);
    this.presses = new Uint8Array(slots * 2);
    this.held = new Uint8Array(slots);
    /** @param {number} slot */
    this.readWord = (slot) => this.words[slot];
    /** @param {number} slot */
    this.readSequence = (slot) => this.sequences[slot];
  }

  /** @param {number} slot @param {Move | undefined} move */
  set(slot, move) {
    this.sequences[slot]++;
    if (!move) {
      this.words[slot] = 0;
      return;
    }
    const down = move.buttons & ~this.held[slot];
    if (down & BUTTON_A) this.presses[slot * 2]++;
    if (down & BUTTON_B) this.presses[slot * 2 + 1]++;
    this.held[slot] = move.buttons;
    this.words[slot] = packInput(
      Math.round(move.x * 127),
      Math.round(move.y * 127),
      move.buttons,
      this.presses[slot * 2],
      this.presses[slot * 2 + 1],
    );
  }
}

/**
 * @param {import('../../app/game/define.js').Game} game
 * @param {object} options
 * @param {number} options.seed
 * @param {Record<string, number>} [options.options] the game's own
 * @param {(Player | undefined)[]} [options.players] by slot
 * @param {number} [options.maxTicks]
 * @param {(job: Job) => void} [options.watch] after each tick
 * @returns {MatchRecord}
 */
export function play(game, { seed, options = {}, players = [], maxTicks = 60 * 1800, watch }) {
  const job = game.start({ ...options, seed });
  const pads = new Pads(game.players.max);
  /** @type {MatchRecord['rounds']} */
  const rounds = [];
  let phase = job.flow.phase;
  let playTicks = 0;
  while (!job.done && job.tick < maxTicks) {
    for (let slot = 0; slot < players.length; slot++) {
      const player = players[slot];
      if (player) pads.set(slot, player(job, slot, job.tick));
    }
    if (job.flow.playing) playTicks = job.flow.phaseTicks + 1;
    job.step(pads.readWord, pads.readSequence);
    watch?.(job);
    if (phase === PHASE.play && job.flow.phase === PHASE.roundOver) {
      const { round, score, alive } = job.flow;
      rounds.push({ round, ticks: playTicks, scores: [...score], alive: [...alive] });
    }
    phase = job.flow.phase;
  }
  const winners = [...job.flow.winner].flatMap((won, slot) => (won ? [slot] : []));
  return { job, ticks: job.tick, rounds, scores: [...job.flow.score], winners };
}

/** Lays the phone on the table. @type {Player} */
export const passive = () => ({ x: 0, y: 0, buttons: 0 });

/** Hammers on everything, as a small child does. @param {number} seed @returns {Player} */
export function wild(seed) {
  let state = (seed + 1) | 0;
  const next = () => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    return (state >>> 8) / 0x1000000;
  };
  /** @type {Move} */
  let move = { x: 0, y: 0, buttons: 0 };
  return (_job, _slot, tick) => {
    if (tick % 9 === 0) {
      const buttons = (next() < 0.4 ? BUTTON_A : 0) | (next() < 0.2 ? BUTTON_B : 0);
      move = { x: next() * 2 - 1, y: next() * 2 - 1, buttons };
    }
    return move;
  };
}

/** @param {number} x @param {number} y @returns {{x: number, y: number}} of length 1 or 0 */
export function unit(x, y) {
  const length = Math.hypot(x, y) || 1;
  return { x: x / length, y: y / length };
}

/** @param {number[]} values @param {number} part 0..1 */
export function quantile(values, part) {
  const sorted = [...values].sort((p, q) => p - q);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))];
}
