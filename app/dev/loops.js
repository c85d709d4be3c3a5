/** Finds the lines at which versions of a game loop. */
import { findLoop } from '../game-test/find-loop.js';
import { hangMs } from '../process/timeouts.js';

/** Failures of a tick, or of the start of a match, that does not return. */
const LOOPS = /does not return/;

/**
 * @typedef {import('./versions.js').Version} Version
 * @typedef {import('../match/match.js').Match} Match
 */

export class Loops {
  /** One search for each version. @type {WeakMap<Version, Promise<string | undefined>>} */
  #searches = new WeakMap();

  /**
   * Finds the line, if a match has failed because the game loops.
   * @param {Match} match its next worker has not started yet @param {Version} version that it plays
   * @returns {Promise<string | undefined>} file and line
   */
  find(match, version) {
    if (!LOOPS.test(match.problem ?? '')) return Promise.resolve(undefined);
    const search = this.#searches.get(version) ?? findLoop(version.game, inputsOf(match), hangMs());
    this.#searches.set(version, search);
    return search;
  }
}

/**
 * Returns what a match has played since its newest checkpoint.
 * @param {Match} match
 * @returns {import('../game-test/find-loop.js').Inputs}
 */
function inputsOf(match) {
  const options = { ...match.options, match: match.id };
  const checkpoint = match.worker.mailbox?.checkpoint;
  if (!checkpoint) return { options, words: new Int32Array() };
  const bytes = checkpoint.bytes.slice();
  try {
    match.record();
    const { words, slots, checkpointTick } = match.replayLog.clip(match.replayLog.lastTick - 2);
    const played = words.slice(Math.max(0, checkpoint.tick - checkpointTick) * slots);
    return { options, checkpoint: bytes, words: played };
  } catch {
    return { options, checkpoint: bytes, words: new Int32Array() }; // the match has just begun
  }
}
