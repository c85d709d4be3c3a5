/**
 * Saved matches on disk. Each match has two files, A and B, that are overwritten in turn: a write that is cut off
 * by a power cut damages the older checkpoint, never the newer one. As long as a file does not grow, this writes
 * its data and no metadata of the file system (fdatasync(2)). A new file and a rename for each checkpoint would
 * write several times as much to an SD card.
 */
import { constants, open, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { MAX_BYTES, decodeMatch, encodeMatch } from './match-file.js';
import { SavedFiles, listNames, unusable } from './saved-files.js';
import { flush, makeDirectory } from './store.js';

export const FOLDER = 'live';
const FILE = /^(\d{1,5})\.[ab]$/;
const { O_RDWR, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;
const SIDES = /** @type {const} */ (['a', 'b']);

/** @typedef {import('../match/saved-match.js').Saved} Saved */
/** @typedef {import('../match/saved-match.js').SavedMatch} SavedMatch */
/**
 * @typedef {object} Pair the open files of a match
 * @property {import('node:fs/promises').FileHandle[]} handles
 * @property {number} next the side that is written next
 * @property {number} tick of the last checkpoint written, -1 before the first one
 */

/**
 * Writes all bytes at the beginning of a file. write(2) may write fewer bytes than it was given, for
 * example when the disk is full; the next write then fails with the reason.
 * @param {import('node:fs/promises').FileHandle} handle @param {Buffer} bytes
 */
async function writeFully(handle, bytes) {
  for (let at = 0; at < bytes.length;) {
    const { bytesWritten } = await handle.write(bytes, at, bytes.length - at, at);
    if (bytesWritten === 0) throw new Error('the disk takes no more bytes');
    at += bytesWritten;
  }
}

/** Tells whether any match is saved. @param {import('./store.js').Store} store @returns {Promise<boolean>} */
export async function hasCheckpoints(store) {
  return (await store.list(FOLDER, FILE)).length > 0;
}

export class CheckpointFiles {
  /** @type {Map<number, Pair>} */
  #pairs = new Map();
  /** @type {Promise<unknown>} the last operation; they run one after the other */
  #last = Promise.resolve();
  /** Since the start. */
  bytesWritten = 0;

  /** @param {string} directory the data directory @param {SavedFiles} [saved] reads the files */
  constructor(directory, saved = new SavedFiles(directory)) {
    this.folder = join(directory, FOLDER);
    this.saved = saved;
  }

  /** @param {number} id @param {'a' | 'b'} side */
  #path(id, side) {
    return join(this.folder, `${id}.${side}`);
  }

  /**
   * Reads a side. A power cut leaves at most one of the two in a state that cannot be decoded.
   * @param {string} path
   * @returns {Promise<{match?: SavedMatch, error?: unknown} | undefined>} undefined: there is no regular file;
   *   neither match nor error: nothing has been written yet
   */
  #readSide(path) {
    /** @param {Buffer} bytes @returns {{match?: SavedMatch, error?: unknown}} */
    const parse = (bytes) => {
      if (bytes.length === 0) return {};
      try {
        return { match: decodeMatch(bytes) };
      } catch (error) {
        return { error };
      }
    };
    return this.saved.load(path, { maxBytes: MAX_BYTES, parse });
  }

  /** Reads the newer checkpoint of each match. When neither side can be used, both are set aside. */
  async read() {
    /** @type {Map<number, SavedMatch>} */
    const newest = new Map();
    /** @type {{id: number, path: string, error: unknown}[]} */
    const broken = [];
    for (const name of await listNames(this.folder, FILE).catch(() => [])) {
      const id = parseInt(name);
      const path = join(this.folder, name);
      const { match, error } = (await this.#readSide(path)) ?? {};
      if (error) broken.push({ id, path, error });
      else if (match && match.saved.id !== id) {
        broken.push({ id, path, error: unusable('it is of another match') });
      } else if (match && match.saved.tick > (newest.get(id)?.saved.tick ?? -1)) {
        newest.set(id, match);
      }
    }
    for (const { id, path, error } of broken) {
      if (!newest.has(id)) await this.saved.reject(path, error);
    }
    return [...newest.values()];
  }

  /** @template T @param {() => Promise<T>} operation @returns {Promise<T>} */
  #enqueue(operation) {
    const done = this.#last.then(operation);
    this.#last = done.catch(() => {});
    return done;
  }

  /**
   * Writes a checkpoint, unless it is older than the last one.
   * @param {Saved} saved @param {Uint8Array} checkpoint
   * @param {{final?: boolean}} [options] final: writes the checkpoint of the last tick again, because seats may have
   *   changed since
   */
  write(saved, checkpoint, { final = false } = {}) {
    return this.#enqueue(async () => {
      const pair = this.#pairs.get(saved.id) ?? (await this.#open(saved.id));
      if (saved.tick < pair.tick || (saved.tick === pair.tick && !final)) return;
      const file = await encodeMatch(saved, checkpoint);
      // At the end both sides: of two at the same tick, nothing tells which has the newer seats.
      for (let writes = final ? 2 : 1; writes > 0; writes--) {
        const handle = pair.handles[pair.next];
        await writeFully(handle, file);
        await handle.datasync();
        // Only now: after a failure the next write goes to this side again, and the other one stays good.
        pair.next = 1 - pair.next;
        pair.tick = saved.tick;
        this.bytesWritten += file.length;
      }
    });
  }

  /**
   * Opens the files of a match. Existing files are those of the same match before a restart: the older one is
   * overwritten first.
   * @param {number} id @returns {Promise<Pair>}
   */
  async #open(id) {
    await makeDirectory(this.folder);
    /** @type {Pair['handles']} */
    const handles = [];
    const ticks = [];
    try {
      for (const side of SIDES) {
        const path = this.#path(id, side);
        ticks.push((await this.#readSide(path))?.match?.saved.tick ?? -1);
        // Without O_TRUNC: a checkpoint stays until it is overwritten.
        handles.push(await open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600));
      }
      await flush(this.folder); // the new names
    } catch (error) {
      for (const handle of handles) await handle.close(); // Node.js 25 ends the TV for one that is forgotten
      throw error;
    }
    const pair = { handles, next: ticks[0] <= ticks[1] ? 0 : 1, tick: -1 };
    this.#pairs.set(id, pair);
    return pair;
  }

  /** Deletes the files of a match. @param {number} id */
  remove(id) {
    return this.#enqueue(async () => {
      const pair = this.#pairs.get(id);
      this.#pairs.delete(id);
      for (const handle of pair?.handles ?? []) await handle.close();
      for (const side of SIDES) await rm(this.#path(id, side), { force: true });
    });
  }

  /** Deletes the files of all matches. Files that were set aside stay. */
  async clear() {
    await this.close();
    for (const name of await listNames(this.folder, FILE)) {
      await rm(join(this.folder, name), { force: true });
    }
    await rmdir(this.folder).catch(() => {});
  }

  /** Closes the files. They stay on disk. */
  close() {
    return this.#enqueue(async () => {
      for (const { handles } of this.#pairs.values()) {
        for (const handle of handles) await handle.close();
      }
      this.#pairs.clear();
    });
  }
}
