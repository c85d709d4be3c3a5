/** Finds the line of a game that loops: plays the tick again in a locked process with a thread that watches. */
import { fileURLToPath, pathToFileURL } from 'node:url';
import { askLocked, lockOf } from '../packages/game-reader.js';
import { hangMs } from '../process/timeouts.js';

const PROGRAM = fileURLToPath(new URL('./find-loop-program.js', import.meta.url));
const MEMORY_MB = 256;
/** The longest search. */
const LIMIT_MS = 60_000;
/** Ends the sentences about an import that does not return. */
const IMPORT_LOOPS = /does it loop\?$/i;
const PLACE = /^[^\p{Cc}:?]{1,200}$/u;

/**
 * @typedef {object} Inputs
 * @property {Record<string, unknown>} options of the match
 * @property {Uint8Array} [checkpoint] where it begins
 * @property {Int32Array} words of all slots, in each tick
 *
 * @typedef {Inputs | {seed: number, ticks: number}} Recording seed: a run of the test
 */

/**
 * Plays a recording until a tick does not return.
 * @param {{url: string, id: string, lock?: import('../engine/lock.js').Lock}} game
 * @param {Recording} recording
 * @param {number} tickMs CPU time after which a tick counts as one that does not return
 * @returns {Promise<string | undefined>} file and line, such as 'pong.js:12'; undefined if each tick returns, or if
 *   this machine cannot find it
 */
export async function findLoop({ url, id, lock = { readable: [] } }, recording, tickMs) {
  const folder = url.slice(0, url.lastIndexOf('/') + 1);
  const request = { path: fileURLToPath(url), id, folder, recording, tickMs, memoryMb: MEMORY_MB };
  const signal = AbortSignal.timeout(LIMIT_MS);
  try {
    return readPlace(await askLocked({ entry: PROGRAM, lock, request, signal }), folder);
  } catch {
    return undefined; // the hang is reported without its line
  }
}

/**
 * Finds the line of a module that does not return when it is imported.
 * @param {string} problem why the game cannot be read
 * @param {import('../packages/game-reader.js').GameFile & {id: string}} file
 * @param {boolean} bestEffort see Lock
 * @returns {Promise<string | undefined>} file and line; undefined if the problem is another one
 */
export async function findImportLoop(problem, file, bestEffort) {
  if (!IMPORT_LOOPS.test(problem)) return undefined;
  const url = pathToFileURL(file.path).href;
  const game = { url, id: file.id, lock: lockOf(file, bestEffort) };
  return findLoop(game, { options: {}, words: new Int32Array() }, hangMs());
}

/** Checks the answer of the process, which runs code of strangers. @param {string} text JSON @param {string} folder */
function readPlace(text, folder) {
  const { url, line } = Object(JSON.parse(text));
  if (typeof url !== 'string' || !url.startsWith(folder) || !Number.isSafeInteger(line))
    return undefined;
  const file = url.slice(folder.length);
  return PLACE.test(file) ? `${file}:${line}` : undefined;
}
