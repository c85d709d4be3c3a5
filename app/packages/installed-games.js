/** The installed games of a running TV, which follows changes of the data directory by `pitv games`. */
import { createHash } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { watch } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../errors.js';
import { descriptionOf } from '../game/check-game.js';
import { readRegularFile } from '../storage/saved-files.js';
import { hashKernel } from './catalog.js';
import { findProblem, readForeignGames } from './foreign-games.js';
import { checkReading } from './game-reader.js';
import { GAMES } from './packages.js';

/** Changes within this time are read together. */
const DEBOUNCE_MS = 50;
/** How often the directory is read if the system cannot watch it. */
const POLL_MS = 1000;
/** Size of a saved description. */
const MAX_BYTES = 1024 * 1024;

/**
 * @typedef {import('./catalog.js').Game} Game
 * @typedef {import('./foreign-games.js').ForeignGame} ForeignGame
 * @typedef {import('./packages.js').Installed} Installed
 * @typedef {{installed: Installed, game?: Game, problem?: string}} Entry problem: why the game is left out
 *
 * @typedef {object} Source where a description comes from
 * @property {import('./game-reader.js').GameFile & {id: string, folder: string}} file
 * @property {string} hash hex; changes with the game and the kernel
 * @property {import('./game-reader.js').Reading | undefined} known the description of the last start
 */

/** Emits 'change' when the list of games has changed. */
export class InstalledGames extends EventEmitter {
  /** By id. @type {Map<string, Entry>} */
  #entries = new Map();
  /** Versions that are no longer installed, whose files may still be in use. @type {Set<Installed>} */
  #retired = new Set();
  #parts;
  /** @type {import('node:fs').FSWatcher | undefined} */
  #watcher;
  /** @type {NodeJS.Timeout | undefined} */
  #timer;
  /** @type {Promise<void>} */
  #last = Promise.resolve();
  #waiting = false;
  #closing = new AbortController();
  /** The part of hashes that changes with the kernel. @type {Promise<Buffer> | undefined} */
  #kernel;
  /** Whether the directory could be made. @type {Promise<boolean>} */
  #made = Promise.resolve(false);
  /** Resolves when the games of the start have been read. @type {Promise<void>} */
  opened = Promise.resolve();

  /**
   * @param {{packages: import('./packages.js').Packages, log: import('pino').BaseLogger, reserved: string[],
   *   untrusted: import('./catalog.js').UntrustedGames, bundled?: string}} parts reserved: ids of the TV's other games;
   *   bundled: folder of packages that are installed at the start, see packages/bundled.js
   */
  constructor(parts) {
    super();
    this.#parts = parts;
    this.packages = parts.packages;
  }

  /** Tells whether a match uses a version. @param {Installed} _installed */
  isUsed = (_installed) => false;

  get #closed() {
    return this.#closing.signal.aborted;
  }
  /** Games that can be played. @returns {Game[]} */
  get games() {
    return this.entries.flatMap(({ game }) => game ?? []);
  }
  /** All installed games that have been read, sorted by id. @returns {Entry[]} */
  get entries() {
    const byId = [...this.#entries].sort(([p], [q]) => (p < q ? -1 : 1));
    return byId.map(([, entry]) => entry);
  }
  /** Sentences about games that are left out. @returns {string[]} */
  get problems() {
    return this.entries.flatMap(({ problem }) => problem ?? []);
  }

  /**
   * Reads all installed games. If the directory can be written, it is made first, files of an earlier start are
   * deleted, and changes are followed.
   * @param {{readOnly: boolean}} how
   * @returns {Promise<void>} resolves when all games have been read, which may take seconds for each on a slow board
   */
  open({ readOnly }) {
    const { packages, log } = this.#parts;
    const make = async () => {
      try {
        await packages.open();
      } catch (error) {
        log.warn({ error: messageOf(error) }, 'no games can be installed');
        return false;
      }
      await this.#installBundled();
      return true;
    };
    this.#made = readOnly ? Promise.resolve(false) : make();
    this.opened = this.#made.then(async (made) => {
      if (made) this.#watch();
      await this.refresh();
      if (made && !this.#closed) await this.#delete({ inUse: new Set(), known: new Set() });
    });
    return this.opened;
  }

  /** Installs the games that come with pitv. */
  async #installBundled() {
    const { packages, log, bundled } = this.#parts;
    if (bundled === undefined) return;
    const { installBundled } = await import('./bundled.js');
    const problems = await installBundled(packages, bundled).catch((error) => [messageOf(error)]);
    for (const error of problems) log.warn({ error }, 'a game of pitv cannot be installed');
  }

  /** Replaces the watch. An earlier one does not see a directory that stands at the place of a deleted one. */
  #watch() {
    if (this.#closed) return;
    this.#watcher?.close();
    try {
      const { directory } = this.#parts.packages;
      this.#watcher = watch(directory, { persistent: false }, () => this.#changed());
      this.#watcher.on('error', () => this.#changed(POLL_MS));
    } catch {
      this.#changed(POLL_MS); // the directory is gone, or the system has no watches left
    }
  }

  /** Reads the directory soon. It is watched before it is read, so no change is missed. @param {number} [delayMs] */
  #changed(delayMs = DEBOUNCE_MS) {
    if (this.#closed) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#watch();
      void this.refresh();
    }, delayMs).unref();
  }

  /** Reads the directory. Calls that come while it is being read wait for one more reading. @returns {Promise<void>} */
  refresh() {
    if (!this.#waiting) {
      this.#waiting = true;
      this.#last = this.#last.then(async () => {
        this.#waiting = false;
        if (this.#closed) return;
        await this.#read().catch((error) => {
          this.#parts.log.error({ error: messageOf(error) }, 'the installed games cannot be read');
        });
      });
    }
    return this.#last;
  }

  async #read() {
    const list = await this.packages.list();
    const ids = new Set(list.map(({ id }) => id));
    const gone = [...this.#entries.values()].filter(({ installed: { id } }) => !ids.has(id));
    for (const { installed } of gone) {
      await this.packages.store.remove(descriptionName(installed.id)).catch(() => {});
      this.#entries.delete(installed.id);
      this.#retired.add(installed);
    }
    if (gone.length > 0) this.emit('change');
    const isNew = (/** @type {Installed} */ { id, folder }) =>
      this.#entries.get(id)?.installed.folder !== folder;
    const added = await Promise.all(
      list.filter(isNew).map(async (installed) => {
        return { installed, source: await this.#sourceOf(installed) };
      }),
    );
    // The others are read by a process each, which may take long.
    added.sort((p, q) => Number(!p.source.known) - Number(!q.source.known));
    for (const { installed, source } of added) {
      const before = this.#entries.get(installed.id)?.installed;
      const entry = await this.#load(installed, source);
      if (this.#closed) return;
      this.#entries.set(installed.id, entry);
      if (before) this.#retired.add(before);
      this.emit('change');
    }
    await this.collect();
  }

  /** @param {Installed} installed @returns {Promise<Source>} */
  async #sourceOf(installed) {
    const { packages } = this.#parts;
    const { id, hash: filesHash } = installed;
    const kernel = await (this.#kernel ??= hashKernel());
    const hash = createHash('sha256').update(kernel).update(filesHash).digest('hex');
    const file = { path: packages.moduleOf(installed), id, folder: packages.folderOf(installed) };
    return { file, hash, known: await this.#loadDescription(hash, file) };
  }

  /** @param {Installed} installed @param {Source} source @returns {Promise<Entry>} */
  async #load(installed, { file, hash, known }) {
    const { log, reserved } = this.#parts;
    const { id, name, version, source } = installed;
    // A game that came with pitv is trusted. It is locked where that is possible.
    const untrusted = source.kind === 'bundled' ? 'open' : this.#parts.untrusted;
    const off = `${name} is left out: games of others are turned off (--untrusted-games off).`;
    if (untrusted === 'off') return { installed, problem: off };
    const { signal } = this.#closing;
    const [result] = await readForeignGames([{ ...file, known }], untrusted, { signal });
    if (!known && !(result instanceof Error)) await this.#saveDescription(hash, result);
    const problem = reserved.includes(id)
      ? `${name} is left out: another game has the id ${id}.`
      : (await findProblem(result, file.folder))?.message;
    if (problem !== undefined) {
      if (!this.#closed)
        log.error({ game: id, version, error: problem }, 'an installed game is left out');
      return { installed, problem };
    }
    log.info({ game: id, version }, 'an installed game can be played');
    const game = /** @type {Game} */ (/** @type {unknown} */ ({ ...result, hash }));
    return { installed, game: Object.freeze({ ...game, package: installed }) };
  }

  /**
   * Reads the description of a game that the last start has saved, so that this one need not run a process for it. It
   * is checked like one that a process has just read.
   * @param {string} hash see Source @param {Source['file']} file
   * @returns {Promise<Source['known']>} undefined if the file is missing, or cannot be used
   */
  async #loadDescription(hash, file) {
    const path = join(this.packages.store.directory, descriptionName(file.id));
    try {
      const text = String(await readRegularFile(path, MAX_BYTES));
      return JSON.parse(text).hash === hash ? await checkReading(text, file) : undefined;
    } catch {
      return undefined;
    }
  }

  /** Saves a description. A failure costs time at the next start. @param {string} hash @param {ForeignGame} game */
  async #saveDescription(hash, game) {
    const about = { hash, game: descriptionOf(game), dimensions: game.dimensions() };
    const text = JSON.stringify(about);
    if (Buffer.byteLength(text) > MAX_BYTES) return;
    await this.packages.store.write(descriptionName(game.id), text).catch(() => {});
  }

  /** Deletes the files of versions that are no longer installed, unless they are in use. */
  async collect() {
    if (this.#retired.size === 0) return;
    const retired = [...this.#retired];
    const used = retired.filter((installed) => this.isUsed(installed));
    this.#retired = new Set(used);
    const [inUse, known] = [used, retired].map((all) => new Set(all.map(({ folder }) => folder)));
    await this.#delete({ inUse, known });
  }

  /** @param {Parameters<import('./packages.js').Packages['collect']>[0]} use */
  async #delete(use) {
    await this.packages.collect(use).catch((error) => {
      this.#parts.log.warn({ error: messageOf(error) }, 'files of a game cannot be deleted');
    });
  }

  /** Stops following changes, and ends the processes that read games. */
  async close() {
    this.#closing.abort();
    this.#watcher?.close();
    clearTimeout(this.#timer);
    await this.#made;
  }
}

/** Returns the name of the file of a game's description. @param {string} id */
const descriptionName = (id) => `${GAMES}/${id}.description`;
