/**
 * Running matches on disk, so that a power cut loses the last second and no more. Each match has two files
 * that are overwritten in turn: a write that is cut off spoils the older state, never the newer one. As
 * long as a file does not grow, that writes its data and no metadata of the file system (fdatasync(2)):
 * a rename instead, as everywhere else, would cost an SD card several times as much.
 */
import { createHash } from 'node:crypto';
import { constants, open, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { deflateRaw, inflateRawSync } from 'node:zlib';
import { LIMITS } from '../limits/table.js';
import { decodeMatch, encodeMatch } from './saved-matches.js';
import { reasonOf } from './reason.js';
import { SavedFiles, listNames, unusable } from './saved-files.js';
import { makeDirectory } from './store.js';

const deflate = promisify(deflateRaw);
const MAGIC = Buffer.from('pitvlive');
const HEAD_BYTES = 44; // magic, length, SHA-256
/** What a card and ext4 write anyway. */
const BLOCK_BYTES = 4096;
/** Of a checkpoint that is unpacked, too. */
const MAX_BYTES = LIMITS.savedMatchBytes.value;
export const FOLDER = 'live';
const FILE = /^(\d{1,5})\.[ab]$/;
const { O_RDWR, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;
const SIDES = /** @type {const} */ (['a', 'b']);

/** @typedef {import('../match/saved-match.js').Saved} Saved */
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
    return decodeMatch(inflateRawSync(packed, { maxOutputLength: MAX_BYTES }));
  } catch {
    return undefined;
  }
}

/**
 * Writes all bytes at the beginning of a file. write(2) may write fewer bytes than it was given, for
 * example where the disk is full; the write of the rest then fails with the reason.
 * @param {import('node:fs/promises').FileHandle} handle @param {Buffer} bytes
 */
async function writeFully(handle, bytes) {
  for (let at = 0; at < bytes.length;) {
    const { bytesWritten } = await handle.write(bytes, at, bytes.length - at, at);
    if (bytesWritten === 0) throw new Error('the disk takes no more bytes');
    at += bytesWritten;
  }
}

export class LiveFiles {
  /** @type {Map<number, Pair>} */
  #pairs = new Map();
  /** @type {Promise<unknown>} the last thing done to the files; one at a time */
  #busy = Promise.resolve();
  /** so many since the start */
  bytesWritten = 0;

  /**
   * @param {string} directory the data directory
   * @param {SavedFiles} [saved] reads the files
   */
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
   * @returns {Promise<{kept: Kept | undefined, empty: boolean} | undefined>} undefined when there is no
   *   regular file; empty: nothing has been written yet
   */
  #readSide(path) {
    /** @param {Buffer} bytes */
    const parse = (bytes) => ({ kept: unpackLive(bytes), empty: bytes.length === 0 });
    return this.saved.load(path, { maxBytes: MAX_BYTES, parse });
  }

  /**
   * What an earlier start left behind, the newer state of each match. Where neither side can be used, both
   * are set aside.
   * @returns {Promise<Kept[]>}
   */
  async read() {
    /** @type {Map<number, Kept>} */
    const newest = new Map();
    /** @type {{id: number, path: string}[]} */
    const broken = [];
    for (const name of await listNames(this.folder, FILE).catch(() => [])) {
      const id = parseInt(name);
      const path = join(this.folder, name);
      const side = await this.#readSide(path);
      if (!side || side.empty) continue;
      const { kept } = side;
      if (!kept || kept.saved.id !== id) {
        broken.push({ id, path });
        continue;
      }
      const other = newest.get(id);
      if (!other || other.saved.tick < kept.saved.tick) newest.set(id, kept);
    }
    for (const { id, path } of broken) {
      if (!newest.has(id)) await this.saved.reject(path, unusable('it is no whole checkpoint'));
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
      await writeFully(handle, file);
      await handle.datasync();
      // Only now: after a failure the next write goes to this side again, and the other one stays good.
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
      ticks.push((await this.#readSide(path))?.kept?.saved.tick ?? -1);
      // Without O_TRUNC: a state that is there stays until it is overwritten.
      handles.push(await open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o600));
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

  /** Removes all checkpoints: the matches are kept elsewhere. Files that were set aside stay. */
  async clear() {
    await this.close();
    for (const name of await listNames(this.folder, FILE)) {
      await rm(join(this.folder, name), { force: true });
    }
    await rmdir(this.folder).catch(() => {});
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
   * @param {() => import('../match/match.js').Match[]} parts.matches
   * @param {() => Promise<unknown>} parts.keepPeople who is in; writes only what has changed
   * @param {Pick<import('pino').Logger, 'warn' | 'info'>} parts.log
   * @param {() => void} [parts.problemChanged] called when saving begins to fail and when it works again
   */
  constructor({ files, matches, keepPeople, log, problemChanged = () => {} }) {
    this.files = files;
    this.matches = matches;
    this.keepPeople = keepPeople;
    this.log = log;
    this.problemChanged = problemChanged;
  }

  /** @param {number} everyMs */
  start(everyMs) {
    this.#timer = setInterval(() => void this.#tick(), everyMs);
    this.#timer.unref();
  }

  async #tick() {
    if (this.#writing) return; // a slow card: the next one takes the newest state
    this.#writing = true;
    // One failure stops none of the others: a file that keeps its size can be written on a full disk.
    const works = [
      () => this.keepPeople(),
      ...this.matches().map((match) => () => this.#save(match)),
    ];
    /** @type {string[]} */
    const failures = [];
    for (const work of works) await work().catch((error) => failures.push(reasonOf(error)));
    this.#writing = false;
    this.#setProblem(failures[0]);
  }

  /** @param {import('../match/match.js').Match} match */
  async #save(match) {
    if (match.players.length === 0) return; // a demo is not worth the card
    const snapshot = match.snapshot();
    if (snapshot) await this.files.write(snapshot.saved, snapshot.checkpoint);
    if (match.end) await this.files.remove(match.id); // it ended while it was written
  }

  /** @param {string | undefined} problem */
  #setProblem(problem) {
    if (problem === this.problem) return;
    if (!problem) this.log.info('matches are being saved again');
    else if (!this.problem) this.log.warn({ error: problem }, 'matches are not being saved');
    this.problem = problem;
    this.problemChanged();
  }

  stop() {
    clearInterval(this.#timer);
  }
}
