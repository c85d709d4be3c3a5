/**
 * Keeps the descriptions of installed games, so that a start of the TV need not run a process for each of them. A
 * description belongs to a hash of the game's files and of the kernel, and is checked like one that a process has just
 * read. A file that cannot be used counts as missing.
 */
import { join } from 'node:path';
import { readRegularFile } from '../storage/saved-files.js';
import { checkReading } from './game-reader.js';

const MAX_BYTES = 1024 * 1024;

/** @typedef {import('./game-reader.js').GameFile} GameFile */
/** @typedef {import('./game-reader.js').Reading} Reading */

export class DescriptionCache {
  #store;
  #name;
  #hash;

  /**
   * @param {import('../storage/store.js').Store} store
   * @param {string} name of the file in the data directory
   * @param {string} hash hex
   */
  constructor(store, name, hash) {
    this.#store = store;
    this.#name = name;
    this.#hash = hash;
  }

  /**
   * Reads the description.
   * @param {GameFile} file @returns {Promise<Reading | undefined>} undefined if there is none for the hash
   */
  async load(file) {
    try {
      const bytes = await readRegularFile(join(this.#store.directory, this.#name), MAX_BYTES);
      const text = bytes.toString();
      return JSON.parse(text).hash === this.#hash ? await checkReading(text, file) : undefined;
    } catch {
      return undefined;
    }
  }

  /** Saves a description. A failure only costs time at the next start. @param {Reading} reading */
  async save({ description, dimensions }) {
    const text = JSON.stringify({ hash: this.#hash, game: description, dimensions });
    if (Buffer.byteLength(text) > MAX_BYTES) return;
    await this.#store.write(this.#name, text).catch(() => {});
  }
}
