/**
 * Makes versions of a game from its author's folder. Each version is a copy of the files in a folder of its own, so
 * that workers import it from another URL, and an older version can be started again.
 */
import { rm } from 'node:fs/promises';
import { basename } from 'node:path';
import { messageOf } from '../errors.js';
import { findImportLoop } from '../game-test/find-loop.js';
import { findProblem } from '../packages/check-package.js';
import { explain, makeGame } from '../packages/foreign-games.js';
import { readGame } from '../packages/game-reader.js';
import { hangMs } from '../process/timeouts.js';

/** Time to import the game, in times that a match may stand still. */
const IMPORT_HANGS = 5;

/**
 * @typedef {import('../packages/catalog.js').Game} Game
 *
 * @typedef {object} Version
 * @property {Game} game
 * @property {string} path of the copy
 * @property {string} key what has to be the same in two versions, so that a match of one can continue with the other
 *
 * @typedef {{sentence: string, place?: string, path: string | undefined}} LoadProblem place: file and line; path: of
 *   the copy
 */

export class Versions {
  #parts;
  /** Hash of the last copy. */
  #hash = '';

  /**
   * @param {object} parts
   * @param {string} parts.folder of the author
   * @param {import('../packages/packages.js').Packages} parts.packages keeps the copies
   * @param {boolean} parts.bestEffort see Lock
   */
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
    const { bestEffort } = this.#parts;
    const { id, game: module } = manifest;
    const file = { path: `${path}/${module}`, id, folder: path };
    const how = { limitMs: IMPORT_HANGS * hangMs(), bestEffort };
    const read = (/** @type {Record<string, unknown>} */ options) => readGame(file, options, how);
    try {
      const reading = await read({});
      const foreign = makeGame(file, reading, { bestEffort, read, changes: false });
      const missing = await findProblem(foreign, path);
      if (missing) throw missing;
      const source = { kind: /** @type {const} */ ('folder'), from: this.#parts.folder };
      const about = { bytes, files, hash, source, installedAt: Date.now() };
      const game = /** @type {Game} */ (
        /** @type {unknown} */ (
          Object.freeze({
            ...foreign,
            sizes: (/** @type {Record<string, unknown>} */ options) => ({
              ...foreign.sizes(options),
              tickStats: 1,
            }),
            hash,
            package: { ...manifest, ...about, folder: basename(path) },
          })
        )
      );
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
