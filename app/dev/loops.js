/** Finds the lines at which versions of a game loop. */
import { findLoop } from '../game-test/find-loop.js';
import { hangMs } from '../process/timeouts.js';

/** Failures of a tick, or of the start of a match, that does not return. */
const LOOPS = /does not return/;

/**
 * @typedef {import('./versions.js').Version} Version
 * @typedef {import('../match/match.js').Match} Match
 */

/** One search for each version. @type {WeakMap<Version, Promise<string | undefined>>} */
const searches = new WeakMap();

/**
 * Finds the line, if a match has failed because the game loops.
 * @param {Match} match its next worker has not started yet @param {Version} version that it plays
 * @returns {Promise<string | undefined>} file and line
 */
export async function findVersionLoop(match, version) {
  if (!LOOPS.test(match.problem ?? '')) return undefined;
  const search = searches.get(version) ?? findLoop(version.game, inputsOf(match), hangMs());
  searches.set(version, search);
  return search;
}

/**
 * Returns what a match has played since its newest checkpoint.
 * @param {Match} match
 * @returns {import('../game-test/find-loop.js').Inputs}
 */
function inputsOf(match) {
  const options = { ...match.options, match: match.id };
  const { mailbox } = match.worker;
  const checkpoint = mailbox?.checkpoint;
  if (!mailbox || !checkpoint) return { options, words: new Int32Array() };
  /** @type {number[][]} by tick after the checkpoint */
  const played = [];
  mailbox.inputLog?.drain((tick, words) => {
    const at = tick - checkpoint.tick - 1;
    if (at < 0 || at > played.length) return;
    played.length = at; // a worker that resumed from a checkpoint has played these ticks again
    played.push([...words]);
  });
  return { options, checkpoint: checkpoint.bytes.slice(), words: Int32Array.from(played.flat()) };
}
