/**
 * Keeps the descriptions of installed games, so that a start of the TV need not run a process for each of them. A
 * description belongs to a hash of the game's files and of the kernel, and is checked like one that a process has just
 * read. A file that cannot be used counts as missing.
 */
import { join } from 'node:path';
import { readRegularFile } from '../storage/saved-files.js';
import { checkReading } from './game-reader.js';

const MAX_BYTES = 1024 * 1024;

/** @typedef {ReturnType<typeof descriptionCache>} DescriptionCache */

/**
 * Makes the cache of a game.
 * @param {import('../storage/store.js').Store} store
 * @param {string} name of the file in the data directory
 * @param {string} hash hex
 */
export const descriptionCache = (store, name, hash) => ({
  /** Reads the description. @param {import('./game-reader.js').GameFile} file */
  async load(file) {
    try {
      const text = String(await readRegularFile(join(store.directory, name), MAX_BYTES));
      return JSON.parse(text).hash === hash ? await checkReading(text, file) : undefined;
    } catch {
      return undefined;
    }
  },

  /** Saves it. A failure only costs time at the next start. @param {import('./game-reader.js').Reading} reading */
  async save({ description, dimensions }) {
    const text = JSON.stringify({ hash, game: description, dimensions });
    if (Buffer.byteLength(text) <= MAX_BYTES) await store.write(name, text).catch(() => {});
  },
});
