/** Plays whole matches without a screen, with scripted players. */
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { NO_BODY, PHASE } from '../../../app/game/frame.js';
import { BUTTON_A, BUTTON_B } from '../../../app/game/input.js';
import { Pads } from '../../../app/game-test/play.js';
import { BUNDLED } from '../../../app/packages/catalog.js';
import { linkPitv } from '../../../app/packages/link.js';

/**
 * @typedef {import('../../../app/game-test/play.js').Move} Move
 * @typedef {import('../../../app/game/define.js').Job} Job
 * @typedef {(job: Job, slot: number, tick: number) => Move | undefined} Player returns undefined if it has left
 * @typedef {(flow: import('../../../app/game/flow.js').Flow, slot: number) => Move} Plan slot: with a body
 */

/**
 * Plays a match to its end or for maxTicks.
 * @param {import('../../../app/game/define.js').Game} game
 * @param {object} options
 * @param {number} options.seed
 * @param {Record<string, number>} [options.options] of the game
 * @param {(Player | undefined)[]} [options.players] by slot
 * @param {number} [options.maxTicks]
 * @param {(job: Job) => void} [options.watch] called after each tick
 * @returns the job, and its ticks, scores and winners (slots); rounds: length of play and who was alive at its end
 */
export function play(game, { seed, options = {}, players = [], maxTicks = 60 * 1800, watch }) {
  const job = game.start({ ...options, seed });
  const pads = new Pads(game.players.max);
  /** @type {{ticks: number, alive: number[]}[]} */
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
      rounds.push({ ticks: playTicks, alive: [...job.flow.alive] });
    }
    phase = job.flow.phase;
  }
  const winners = [...job.flow.winner].flatMap((won, slot) => (won ? [slot] : []));
  return { job, ticks: job.tick, rounds, scores: [...job.flow.score], winners };
}

/**
 * Imports a module of a package that comes with pitv, as a TV does: a copy outside of pitv, where it finds `pitv/game`
 * by a link.
 * @param {string} folder of the copy @param {string} name of the package's folder @param {string} [file]
 * @returns {Promise<any>} what the module exports
 */
export async function loadBundled(folder, name, file = 'game.js') {
  cpSync(join(BUNDLED, name), join(folder, name), { recursive: true });
  await linkPitv(folder);
  return import(pathToFileURL(join(folder, name, file)).href);
}

/** Number of bodies in a test, for games that have the option. */
const SMALL_BODIES = 300;

/**
 * Returns options for a short test.
 * @param {import('../../../app/game/define.js').Game} game
 * @returns {Record<string, number>}
 */
export const smallOptions = ({ options: { bodies } }) =>
  bodies ? { bodies: Math.min(bodies.max, Math.max(bodies.min, SMALL_BODIES)) } : {};

/** @type {Move} */
const STILL = Object.freeze({ x: 0, y: 0, buttons: 0 });

/** A player who does nothing. @type {Player} */
export const passive = () => STILL;

/** @param {number} seed @returns {() => number} returns 0 <= n < 1 */
function randomNumbers(seed) {
  let state = (seed + 1) | 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    return (state >>> 8) / 0x1000000;
  };
}

/** Creates a player who moves and presses at random. @param {number} seed @returns {Player} */
export function wild(seed) {
  const next = randomNumbers(seed);
  let move = STILL;
  return (_job, _slot, tick) => {
    if (tick % 9 === 0) {
      const buttons = (next() < 0.4 ? BUTTON_A : 0) | (next() < 0.2 ? BUTTON_B : 0);
      move = { x: next() * 2 - 1, y: next() * 2 - 1, buttons };
    }
    return move;
  };
}

/**
 * @typedef {{delay: number, error: number, seed?: number}} Habits delay: reaction time, ticks; error: the largest one
 *   in the direction of the stick, radians
 */
/** @type {Habits} */
export const BEGINNER = { delay: 18, error: 0.5 };
/** @type {Habits} */
export const GOOD = { delay: 12, error: 0 };

/**
 * Creates a player who looks at the match ten times a second, and does later what it has planned, as a person does.
 * @param {Plan} plan @param {Habits} habits
 * @returns {Player}
 */
export function scripted(plan, { delay, error, seed = 1 }) {
  const next = randomNumbers(seed);
  /** @type {Move[]} */
  const moves = [];
  return ({ flow }, slot, tick) => {
    if (tick % 6 !== 0) moves.push(moves.at(-1) ?? STILL);
    else {
      const { x, y, buttons } = flow.body[slot] === NO_BODY ? STILL : plan(flow, slot);
      const turn = (next() * 2 - 1) * error;
      const [cos, sin] = [Math.cos(turn), Math.sin(turn)];
      moves.push({ x: x * cos - y * sin, y: x * sin + y * cos, buttons });
    }
    return moves.length > delay ? moves.splice(0, moves.length - delay)[0] : moves[0];
  };
}

/** Returns the unit vector, or 0, 0. @param {number} x @param {number} y @returns {{x: number, y: number}} */
export function unit(x, y) {
  const length = Math.hypot(x, y) || 1;
  return { x: x / length, y: y / length };
}
