/**
 * Running matches on disk, so that a power cut loses the last second and no more. Each match has two files
 * that are overwritten in turn: a write that is cut off spoils the older state, never the newer one. As
 * long as a file does not grow, that writes its data and no metadata of the file system (fdatasync(2)):
 * a rename instead, as everywhere else, would cost an SD card several times as much.
 */
import { createHash } from 'node:crypto';
import { open, readFile, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { deflateRaw, inflateRawSync } from 'node:zlib';
import { messageOf } from './errors.js';
import { decodeMatch, encodeMatch } from './sessions.js';
import { makeDirectory } from './store.js';

const deflate = promisify(deflateRaw);
const MAGIC = Buffer.from('pitvlive');
const HEAD_BYTES = 44; // magic, length, SHA-256
/** What a card and ext4 write anyway. */
const BLOCK_BYTES = 4096;
/** A checkpoint of a game is a few hundred KiB at most; more than this is no file of ours. */
const UNPACKED_MOST = 1 << 24;
const FOLDER = 'live';
const SIDES = /** @type {const} */ (['a', 'b']);

/** @typedef {import('./match.js').Saved} Saved */
/** @typedef {{saved: Saved, checkpoint: Buffer}} Kept */
/** @typedef {{handles: import('node:fs/promises').FileHandle[], next: number, tick: number}} Pair */

/** @param {Saved} saved @param {Uint8Array} checkpoint @returns {Promise<Buffer>} whole blocks */
export async function packLive(saved, checkpoint) {
  // Most of a checkpoint is empty slots: the fastest level makes a fifth of it.
  const packed = await deflate(Buffer.concat(encodeMatch(saved, checkpoint)), { level: 1 });
  const bytes = HEAD_BYTES + packed.length;
  const file = Buffer.alloc(Math.ceil(bytes / BLOCK_BYTES) * BLOCK_BYTES);
  MAGIC.copy(file);
  file.writeUInt32LE(packed.length, MAGIC.length);
  createHash('sha256')
    .update(packed)
    .digest()
    .copy(file, MAGIC.length + 4);
  packed.copy(file, HEAD_BYTES);
  return file;
}

/** @param {Buffer} file @returns {Kept | undefined} undefined: cut off, or spoilt */
export function unpackLive(file) {
  if (file.length < HEAD_BYTES || !file.subarray(0, MAGIC.length).equals(MAGIC)) return undefined;
  const packed = file.subarray(HEAD_BYTES, HEAD_BYTES + file.readUInt32LE(MAGIC.length));
  const checksum = createHash('sha256').update(packed).digest();
  if (!file.subarray(MAGIC.length + 4, HEAD_BYTES).equals(checksum)) return undefined;
  try {
    return decodeMatch(inflateRawSync(packed, { maxOutputLength: UNPACKED_MOST }));
  } catch {
    return undefined;
  }
}

export class LiveFiles {
  /** @type {Map<number, Pair>} */
  #pairs = new Map();
  /** @type {Promise<unknown>} the last thing done to the files; one at a time */
  #busy = Promise.resolve();
  /** so many since the start */
  bytesWritten = 0;

  /** @param {string} directory the data directory */
  constructor(directory) {
    this.folder = join(directory, FOLDER);
  }

  /** @param {number} id @param {'a' | 'b'} side */
  #path(id, side) {
    return join(this.folder, `${id}.${side}`);
  }

  /**
   * What an earlier start left behind, the newer state of each match.
   * @returns {Promise<Kept[]>}
   */
  async read() {
    const names = await readdir(this.folder).catch(() => /** @type {string[]} */ ([]));
    /** @type {Map<number, Kept>} */
    const newest = new Map();
    for (const name of names) {
      const kept = unpackLive(await readFile(join(this.folder, name)).catch(() => Buffer.alloc(0)));
      if (!kept) continue;
      const other = newest.get(kept.saved.id);
      if (!other || other.saved.tick < kept.saved.tick) newest.set(kept.saved.id, kept);
    }
    return [...newest.values()];
  }

  /** @template T @param {() => Promise<T>} work @returns {Promise<T>} */
  #oneByOne(work) {
    const done = this.#busy.then(work);
    this.#busy = done.catch(() => {});
    return done;
  }

  /** @param {Saved} saved @param {Uint8Array} checkpoint; nothing is written when it is no newer */
  write(saved, checkpoint) {
    return this.#oneByOne(async () => {
      const pair = this.#pairs.get(saved.id) ?? (await this.#open(saved.id));
      if (saved.tick <= pair.tick) return;
      const file = await packLive(saved, checkpoint);
      const handle = pair.handles[pair.next];
      await handle.write(file, 0, file.length, 0);
      await handle.datasync();
      pair.next = 1 - pair.next;
      pair.tick = saved.tick;
      this.bytesWritten += file.length;
    });
  }

  /**
   * The files that are there already are the match's own, from before a power cut: the newer one is
   * written over last.
   * @param {number} id @returns {Promise<Pair>}
   */
  async #open(id) {
    await makeDirectory(this.folder);
    const handles = [];
    const ticks = [];
    for (const side of SIDES) {
      const path = this.#path(id, side);
      ticks.push(unpackLive(await readFile(path).catch(() => Buffer.alloc(0)))?.saved.tick ?? -1);
      const handle = await open(path, 'r+', 0o600).catch(() => open(path, 'w+', 0o600));
      handles.push(handle);
    }
    const directory = await open(this.folder, 'r');
    await directory.sync().finally(() => directory.close()); // the new names
    const pair = { handles, next: ticks[0] <= ticks[1] ? 0 : 1, tick: -1 };
    this.#pairs.set(id, pair);
    return pair;
  }

  /** @param {number} id of a match that is over, or is kept elsewhere by now */
  remove(id) {
    return this.#oneByOne(async () => {
      const pair = this.#pairs.get(id);
      this.#pairs.delete(id);
      for (const handle of pair?.handles ?? []) await handle.close();
      for (const side of SIDES) await rm(this.#path(id, side), { force: true });
    });
  }

  /** Everything: all matches are kept elsewhere. */
  async clear() {
    await this.close();
    await rm(this.folder, { recursive: true, force: true });
  }

  /** Lets go of the files, which stay. */
  close() {
    return this.#oneByOne(async () => {
      for (const { handles } of this.#pairs.values()) {
        for (const handle of handles) await handle.close();
      }
      this.#pairs.clear();
    });
  }
}

/** Writes what runs, at most every `everyMs`. */
export class LiveKeeper {
  /** @type {NodeJS.Timeout | undefined} */
  #timer;
  #writing = false;
  /** why the last write failed, if it did */
  problem = /** @type {string | undefined} */ (undefined);

  /**
   * @param {object} parts
   * @param {LiveFiles} parts.files
   * @param {() => import('./match.js').Match[]} parts.matches
   * @param {() => Promise<unknown>} parts.keepPeople who is in; writes only what has changed
   * @param {Pick<import('pino').Logger, 'warn' | 'info'>} parts.log
   */
  constructor({ files, matches, keepPeople, log }) {
    this.files = files;
    this.matches = matches;
    this.keepPeople = keepPeople;
    this.log = log;
  }

  /** @param {number} everyMs */
  start(everyMs) {
    this.#timer = setInterval(() => void this.#tick(), everyMs);
    this.#timer.unref();
  }

  async #tick() {
    if (this.#writing) return; // a slow card: the next one takes the newest state
    this.#writing = true;
    try {
      await this.keepPeople();
      for (const match of this.matches()) {
        if (match.players.length === 0) continue; // a demo is not worth the card
        const snapshot = match.snapshot();
        if (snapshot) await this.files.write(snapshot.saved, snapshot.checkpoint);
        if (match.end) await this.files.remove(match.id); // it ended while it was written
      }
      if (this.problem) this.log.info('running matches are kept again');
      this.problem = undefined;
    } catch (error) {
      if (!this.problem) this.log.warn({ error: messageOf(error) }, 'running matches are not kept');
      this.problem = messageOf(error);
    } finally {
      this.#writing = false;
    }
  }

  stop() {
    clearInterval(this.#timer);
  }
}
