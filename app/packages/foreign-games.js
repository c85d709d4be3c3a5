/**
 * Reads games that are not part of pitv. Their code runs in a process that has locked itself, with limits on time and
 * memory: a game that throws, never returns or ends its process when it is imported is left out, and the others play.
 */
import { availableParallelism } from 'node:os';
import { pathToFileURL } from 'node:url';
import { missingForLock } from '../engine/lock.js';
import { PitvError, messageOf } from '../errors.js';
import { placeOf } from '../errors/place.js';
import { invalidGame } from '../game/check-game.js';
import { mailboxSizes } from '../game/layout.js';
import { hangMs } from '../process/timeouts.js';
import { readContent } from './content.js';
import { lockOf, readGame } from './game-reader.js';

/** Time to import a game, in times that a match may stand still. */
const IMPORT_HANGS = 5;
/** Dimensions for other options than the default ones that are remembered for each game. */
const MAX_KNOWN = 64;
/** Games that are read for other options at the same time, each once: one that takes long delays no other one. */
const MAX_READINGS = 4;

/** @typedef {import('./game-reader.js').GameFile} GameFile */
/** @typedef {import('../game/layout.js').Dimensions} Dimensions */
/** @typedef {import('./game-reader.js').Reading} Reading */
/**
 * @typedef {import('./game-reader.js').Description & {lock: import('../engine/lock.js').Lock, folder?: string,
 *   dimensions: (options?: Record<string, unknown>) => Dimensions,
 *   sizes: (options?: Record<string, unknown>) => import('../engine/mailbox/mailbox.js').MailboxSizes,
 *   prepare: (options: Record<string, number>) => Promise<void>}} ForeignGame folder: of its package. dimensions() and
 *   sizes() know the default options, and others after prepare()
 */

/** @type {Set<Promise<unknown>>} */
const readings = new Set();

/** @param {() => Promise<Reading>} read */
async function readInTurn(read) {
  while (readings.size >= MAX_READINGS) await Promise.race(readings).catch(() => {});
  const reading = read();
  readings.add(reading);
  return reading.finally(() => readings.delete(reading));
}

/**
 * Reads games, as many at a time as there are cores.
 * @param {(GameFile & {known?: Reading})[]} files known: the game is not read again
 * @param {import('./catalog.js').UntrustedGames} [untrusted]
 * @param {{limitMs?: number, signal?: AbortSignal}} [options] limitMs: time for each game; signal: ends the processes
 *   that read games
 * @returns {Promise<(ForeignGame | PitvError)[]>} in the same order; an error says why a game is left out
 */
export async function readForeignGames(files, untrusted, options = {}) {
  if (files.length === 0) return []; // without the addon being loaded
  const { limitMs = IMPORT_HANGS * hangMs(), signal } = options;
  const bestEffort = untrusted === 'open';
  const missing = bestEffort ? undefined : missingForLock();
  const how = { limitMs, bestEffort, signal };
  const changes = process.env.NODE_ENV === 'development';
  /** @type {(ForeignGame | PitvError)[]} */
  const results = [];
  const waiting = files.entries();
  const readNext = async () => {
    for (const [i, file] of waiting) {
      const read = (/** @type {Record<string, unknown>} */ options) => readGame(file, options, how);
      results[i] = missing
        ? notLocked(file, missing)
        : await Promise.resolve(file.known ?? read({})).then(
            (reading) => makeGame(file, reading, { bestEffort, read, changes }),
            (error) => explain(file, error),
          );
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, readNext));
  return results;
}

/** @param {GameFile} file @param {string} missing */
function notLocked({ path }, missing) {
  const sentence = `${path} is left out: it is not a game of pitv itself, and this machine cannot lock it without ${missing}. To run it nevertheless, use --untrusted-games open (PITV_UNTRUSTED_GAMES=open).`;
  return new PitvError('PITV_LOCK_UNSUPPORTED', sentence);
}

/**
 * Makes a game of what was read.
 * @param {GameFile} file @param {Reading} reading @param {object} how
 * @param {boolean} how.bestEffort see Lock
 * @param {(options: Record<string, unknown>) => Promise<Reading>} how.read reads it with other options
 * @param {boolean} how.changes whether its file may change, so that it is read before each match
 * @returns {ForeignGame}
 */
export function makeGame(file, { description, dimensions }, { bestEffort, read, changes }) {
  const names = Object.entries(description.options);
  const keyOf = (/** @type {Record<string, unknown>} */ options) =>
    names.map(([name, option]) => options[name] ?? option.default).join();
  const known = new Map([[keyOf({}), dimensions]]);
  /** The last reading for other options. */
  let last = /** @type {Promise<unknown>} */ (Promise.resolve());
  const find = (/** @type {Record<string, unknown>} */ options) => {
    const found = known.get(keyOf(options));
    if (!found) throw new TypeError('prepare() has not been called with these options');
    return found;
  };
  return {
    ...description,
    lock: lockOf(file, bestEffort),
    folder: file.folder,

    dimensions: (options = {}) => find(options),
    sizes: (options = {}) => mailboxSizes(find(options), description),

    async prepare(given) {
      const own = Object.entries(given).filter(([name]) => name in description.options);
      const options = Object.fromEntries(own);
      const key = keyOf(options);
      if (known.has(key) && !changes) return;
      const reading = last
        .then(() => readInTurn(() => read(options)))
        .catch((error) => {
          throw explain(file, error);
        });
      last = reading.catch(() => {});
      if (known.size >= MAX_KNOWN) known.delete([...known.keys()][1]);
      known.set(key, (await reading).dimensions);
    },
  };
}

/**
 * Explains why a game cannot be read.
 * @param {GameFile} file @param {unknown} error
 * @returns {PitvError} details.place: file and line, such as 'pong.js:12', if they are known
 */
export function explain({ path }, error) {
  const known = Reflect.get(Object(error), 'code') === 'PITV_GAME_INVALID';
  const place = placeOf(error, pathToFileURL(path).href);
  const message = known ? messageOf(error) : `${path} cannot be loaded: ${messageOf(error)}`;
  const sentence =
    place && !message.includes(place) ? `${message.replace(/\.$/, '')} (${place})` : message;
  return new PitvError('PITV_GAME_INVALID', sentence, { cause: error, details: { place } });
}

/**
 * Loads the game of a package that is about to be installed.
 * @param {import('./packages.js').Staged} staged @param {import('./catalog.js').UntrustedGames} [untrusted]
 * @throws {PitvError} PITV_GAME_INVALID; PITV_LOCK_UNSUPPORTED
 */
export async function checkPackage({ path, manifest }, untrusted) {
  const { id, game } = manifest;
  const file = { path: `${path}/${game}`, id, folder: path };
  const [result] = await readForeignGames([file], untrusted);
  const problem = await findProblem(result, path);
  if (!problem) return;
  throw new PitvError(problem.code, problem.message.replaceAll(`${path}/`, ''), { cause: problem });
}

/**
 * Tells why the game of a package cannot be played.
 * @param {ForeignGame | PitvError} result of its reading @param {string} folder
 */
export async function findProblem(result, folder) {
  if (result instanceof PitvError) return result;
  const { kinds, events } = result.view;
  const pictures = kinds.map(({ picture }, i) => ({ path: picture, field: `kinds[${i}].picture` }));
  const sounds = events.map(({ sound }, i) => ({ path: sound, field: `events[${i}].sound` }));
  for (const { path, field } of [...pictures, ...sounds]) {
    const [kind, name] = path?.split('/') ?? [];
    if (!name) continue; // a sound of pitv
    try {
      await readContent(folder, /** @type {'art' | 'sounds'} */ (kind), name);
    } catch (error) {
      const why = error instanceof PitvError ? messageOf(error) : `${path} is not in the package.`;
      return invalidGame(`${result.id}: view.${field}: ${why}`);
    }
  }
  return undefined;
}
