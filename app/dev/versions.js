/**
 * Makes versions of a game from its author's folder. Each version is a copy of the files in a folder of its own, so
 * that workers import it from another URL, and an older version can be started again.
 */
import { rm } from 'node:fs/promises';
import { basename } from 'node:path';
import { messageOf } from '../errors.js';
import { invalidGame } from '../game/check-game.js';
import { findImportLoop, findLoop } from '../game-test/find-loop.js';
import { explain, findProblem, makeGame } from '../packages/foreign-games.js';
import { checkReading, lockOf, readGame } from '../packages/game-reader.js';
import { hangMs } from '../process/timeouts.js';

const DESCRIBE_JOB = new URL('./describe-job.js', import.meta.url).href;
/** Ends the names of the workers that read games. */
export const DESCRIPTION = ' (description)';
const MAX_BYTES = 1024 * 1024;
const MAX_LAYOUT = 64 * 1024;
/** Time to import the game. */
const LIMIT_MS = 10_000;
/** Failures of a tick, or of the start of a match, that does not return. */
const LOOPS = /does not return/;

/**
 * @typedef {import('../packages/catalog.js').Game} Game
 * @typedef {import('../match/match.js').Match} Match
 * @typedef {import('../packages/game-reader.js').GameFile & {id: string}} GameFile
 * @typedef {import('../packages/game-reader.js').Reading & {layout: string}} Reading layout: see defineGame()
 *
 * @typedef {object} Version
 * @property {Game} game
 * @property {string} path of the copy
 * @property {string} key what has to be the same in two versions, so that a match of one can continue with the other
 *
 * @typedef {object} VersionsParts
 * @property {string} folder of the author
 * @property {import('../packages/packages.js').Packages} packages keeps the copies
 * @property {import('../engine/index.js').Engine} engine
 * @property {boolean} bestEffort see Lock
 *
 * @typedef {{sentence: string, place?: string, path: string | undefined}} LoadProblem place: file and line; path: of
 *   the copy
 */

export class Versions {
  #parts;
  /** Hash of the last copy. */
  #hash = '';

  /** @param {VersionsParts} parts */
  constructor(parts) {
    this.#parts = parts;
  }

  /**
   * Makes a version of the files as they are now.
   * @returns {Promise<{version?: Version, problem?: LoadProblem}>} neither: the files are those of the last call
   */
  async make() {
    const { folder, packages } = this.#parts;
    let staged;
    try {
      staged = await packages.stage({ kind: 'folder', from: folder }, { durable: false });
    } catch (error) {
      this.#hash = '';
      return { problem: { sentence: messageOf(error), path: undefined } };
    }
    const { path, hash } = staged;
    if (hash === this.#hash) {
      await this.remove(path);
      return {};
    }
    this.#hash = hash;
    return this.#read(staged);
  }

  /**
   * @param {import('../packages/packages.js').Staged} staged
   * @returns {Promise<{version?: Version, problem?: LoadProblem}>}
   */
  async #read({ path, manifest, hash, bytes, files }) {
    const { engine, bestEffort } = this.#parts;
    const { id, game: module } = manifest;
    const file = { path: `${path}/${module}`, id, folder: path };
    const read = (/** @type {Record<string, unknown>} */ options) =>
      describeGame(engine, file, options, bestEffort);
    try {
      const reading = await read({});
      const foreign = makeGame(file, reading, { bestEffort, read, changes: false });
      const missing = await findProblem(foreign, path);
      if (missing) throw missing;
      const source = { kind: /** @type {const} */ ('folder'), from: this.#parts.folder };
      const about = { bytes, files, hash, source, installedAt: Date.now() };
      const sizes = (/** @type {Record<string, unknown>} */ options) => ({
        ...foreign.sizes(options),
        tickStats: 1,
      });
      const installed = { ...manifest, ...about, folder: basename(path) };
      /** @type {unknown} */
      const known = Object.freeze({ ...foreign, sizes, hash, package: installed });
      const game = /** @type {Game} */ (known);
      const { layout, dimensions } = reading;
      const key = JSON.stringify([id, layout, dimensions, game.options]);
      return { version: { game, path, key } };
    } catch (error) {
      const { message, details } = explain(file, error);
      const loop = await findImportLoop(message, file, bestEffort);
      const place = loop ?? /** @type {string | undefined} */ (details?.place);
      const sentence = message.replaceAll(`${path}/`, '');
      return { problem: { sentence, place, path } };
    }
  }

  /** Deletes a copy. @param {string} path */
  async remove(path) {
    await rm(path, { recursive: true, force: true });
  }
}

/**
 * Reads a game in a worker. What the worker answers is data of strangers, and is checked.
 * @param {import('../engine/index.js').Engine} engine @param {GameFile} file
 * @param {Record<string, unknown>} options of its sizes and layout @param {boolean} bestEffort see Lock
 * @throws {Error} why it cannot be read
 */
async function describeGame(engine, file, options, bestEffort) {
  const { path, id } = file;
  const signal = AbortSignal.timeout(LIMIT_MS);
  const sizes = { inputSlots: 0, frameBytes: 0, checkpointBytes: MAX_BYTES };
  const about = { name: `${id}${DESCRIPTION}`, lock: lockOf(file, bestEffort), sizes };
  const request = { ...about, signal, options: { path, id, options } };
  const worker = await engine.start(DESCRIBE_JOB, request).catch(async (error) => {
    if (signal.aborted)
      throw new Error(`It was not imported within ${LIMIT_MS / 1000} s: does it loop?`);
    const cause = error.cause ?? error;
    // Only a process that reads the game and does nothing else tells the line of a syntax error.
    if (/SyntaxError/.test(messageOf(cause))) {
      await readGame(file, options, { limitMs: LIMIT_MS, bestEffort });
    }
    throw cause;
  });
  const { mailbox } = worker;
  const bytes = mailbox.checkpoint?.bytes.slice();
  await worker.terminate('stopped');
  engine.freeMailbox(mailbox);
  if (!bytes) throw invalidGame(`The description of ${path} is too long.`);
  const text = Buffer.from(bytes).toString();
  const layout = String(JSON.parse(text).layout).slice(0, MAX_LAYOUT);
  return { ...(await checkReading(text, file)), layout };
}

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
 * Returns the newest checkpoint and inputs of a match. Its loop is some ticks after the checkpoint, and players mostly
 * hold what they hold for longer.
 * @param {Match} match @returns {import('../game-test/find-loop.js').Inputs}
 */
function inputsOf({ id, options, game, worker: { mailbox } }) {
  const slots = [...Array(game.players.max).keys()];
  return {
    options: { ...options, match: id },
    checkpoint: mailbox?.checkpoint?.bytes.slice(),
    words: Int32Array.from(slots, (slot) => mailbox?.readInput(slot) ?? 0),
  };
}
