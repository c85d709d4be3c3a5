/**
 * The installed packages of games, in the folder `games` of the data directory:
 *
 *     games/ID.json            which version of a game is installed; this file is the last that is written
 *     games/ID.description     the description of the game, if a TV has read it
 *     games/packages/ID-RANDOM the files of a version, never changed
 *     games/node_modules/pitv  a link to this program, so that packages find `pitv/game`
 *
 * ID.json is replaced by one rename(2), so a cut leaves the old or the new version. The files of a version are deleted
 * by collect(), which the TV calls: only the TV knows which versions its matches use.
 */
import { randomBytes } from 'node:crypto';
import { access, constants, lchown, mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { PitvError } from '../errors.js';
import { LIMITS } from '../limits/table.js';
import { integer, like, oneOf, optional, shape, text } from '../options.js';
import { SHA256 } from '../storage/checks.js';
import { reasonOf } from '../storage/reason.js';
import { parseFields } from '../storage/saved-files.js';
import { flush, makeDirectory } from '../storage/store.js';
import { checkContent } from './content.js';
import { linkPitv } from './link.js';
import { invalid, readManifest } from './manifest.js';
import { PackageFolder, copySourceFiles, makePackageFolder, refused } from './package-folder.js';

export const GAMES = 'games';
const FOLDERS = 'packages';
/** Files of an unfinished installation are deleted after this time. */
const UNFINISHED_MS = 3600_000;

/** Where packages come from. A package that was uploaded, or came with pitv, has no `from`. */
const KINDS = Object.freeze(['npm', 'folder', 'file', 'upload', 'bundled']);
const RECORD = /^[a-z][a-z0-9-]*\.json$/;
const FOLDER = /^[a-z][a-z0-9-]*-[0-9a-f]{16}$/;
const TEXT = text(4096);
/** The fields of a record, the file games/ID.json. */
const FIELDS = {
  id: TEXT,
  name: TEXT,
  version: TEXT,
  game: TEXT,
  api: integer(1, 1e6),
  folder: like('the name of a folder', FOLDER),
  bytes: integer(0),
  files: integer(0),
  hash: SHA256,
  source: shape({ kind: oneOf(KINDS), from: optional(TEXT) }),
  installedAt: integer(0),
};
/** @type {{parse: (bytes: Buffer) => Installed}} */
const FORMAT = { parse: (bytes) => parseFields(bytes, undefined, FIELDS) };

/**
 * @typedef {import('./manifest.js').Manifest} Manifest
 * @typedef {{kind: 'npm' | 'folder' | 'file' | 'upload' | 'bundled', from?: string}} Source from: name[@version] or
 *   path
 *
 * @typedef {object} Files of an installed package
 * @property {string} folder name of the folder of this version
 * @property {number} bytes of its files
 * @property {number} files number of files
 * @property {string} hash of its files, hex
 * @property {Source} source
 * @property {number} installedAt ms since 1970
 *
 * @typedef {Manifest & Files} Installed
 *
 * @typedef {{manifest: Manifest, path: string} & Pick<Installed, 'bytes' | 'files' | 'hash'>} Staged a package whose
 *   files have been written, but which is not installed yet. path: of its folder
 */

export class Packages {
  #folders;

  /**
   * @param {import('../storage/store.js').Store} store the data directory
   * @param {readonly string[]} [reserved] ids that packages cannot have
   */
  constructor(store, reserved = []) {
    this.store = store;
    this.reserved = reserved;
    this.directory = join(store.directory, GAMES);
    this.#folders = join(this.directory, FOLDERS);
  }

  /** Makes the folders, and the link by which packages find `pitv/game`. @throws {PitvError} PITV_PACKAGE_NOT_KEPT */
  async open() {
    await this.saving(async () => {
      await makeDirectory(this.#folders);
      const link = await linkPitv(this.directory);
      await this.#keepOwner([this.directory, this.#folders, dirname(link), link]);
    });
  }

  /** Lists the installed packages. @returns {Promise<Installed[]>} sorted by id */
  async list() {
    const names = await readdir(this.directory).catch(() => []);
    const records = names.filter((name) => RECORD.test(name)).sort();
    const read = records.slice(0, LIMITS.packages.value).map(async (name) => {
      const record = await this.store.load(`${GAMES}/${name}`, FORMAT);
      return record && `${record.id}.json` === name ? [record] : [];
    });
    return (await Promise.all(read)).flat();
  }

  /** Finds an installed package. @param {unknown} id @throws {PitvError} PITV_PACKAGE_UNKNOWN */
  async get(id) {
    const found = (await this.list()).find((each) => each.id === id);
    if (found) return found;
    const sentence = `No package with the id ${String(id).slice(0, 40)} is installed.`;
    throw new PitvError('PITV_PACKAGE_UNKNOWN', sentence);
  }

  /** Returns the path of a package's folder. @param {Pick<Installed, 'folder'>} installed */
  folderOf({ folder }) {
    return join(this.#folders, folder);
  }

  /** Returns the path of a game's module. @param {Pick<Installed, 'folder' | 'game'>} installed */
  moduleOf(installed) {
    return join(this.folderOf(installed), installed.game);
  }

  /**
   * Installs a package, or replaces its installed version.
   * @param {Source} source @param {object} [options]
   * @param {(staged: Staged) => Promise<void>} [options.check] throws if the game cannot be loaded
   * @param {string} [options.only] the id that the package must have
   * @param {string} [options.unless] a hash: files with this hash are not installed again
   * @param {string | Uint8Array} [options.file] path of the archive or folder if the source names none, or the archive
   * @throws {PitvError} PITV_PACKAGE_*, or the error of check()
   */
  async install(source, { check, only, unless, file } = {}) {
    await this.open();
    const staged = await this.stage(source, { file });
    try {
      const { id } = staged.manifest;
      if (only !== undefined && id !== only) {
        throw invalid(`The package is no longer ${only}: its name gives the game the id "${id}".`);
      }
      await this.#checkPlace(staged.manifest);
      if (staged.hash === unless) {
        await rm(staged.path, { recursive: true, force: true });
        return await this.get(id);
      }
      await check?.(staged);
      return await this.saving(() => this.#commit(staged, source));
    } catch (error) {
      await rm(staged.path, { recursive: true, force: true });
      throw error;
    }
  }

  /**
   * Writes the files of a package to a new folder, and checks its manifest.
   * @param {Source} source @param {{file?: string | Uint8Array, durable?: boolean}} [how] see install(), PackageFolder
   * @returns {Promise<Staged>}
   */
  async stage(source, { file, durable } = {}) {
    const path = join(this.#folders, `.${randomBytes(8).toString('hex')}`);
    return this.saving(async () => {
      await makePackageFolder(path);
      try {
        const target = new PackageFolder(path, { durable });
        await fill(target, source, file);
        const manifest = await readManifest(path);
        await checkContent(path);
        await target.sync();
        const names = await readdir(path, { recursive: true }); // it contains no links
        await this.#keepOwner([path, ...names.map((name) => join(path, name))]);
        const { bytes, files, hash } = target;
        return { manifest, path, bytes, files, hash };
      } catch (error) {
        await rm(path, { recursive: true, force: true });
        throw error;
      }
    });
  }

  /** Checks a package's id. @param {Manifest} manifest @throws {PitvError} PITV_PACKAGE_CLASH, PITV_PACKAGE_LIMIT */
  async #checkPlace({ id, name }) {
    if (this.reserved.includes(id)) {
      const sentence = `${name} cannot be installed: ${id} is a game of pitv itself. Give the package another name.`;
      throw new PitvError('PITV_PACKAGE_CLASH', sentence);
    }
    const installed = await this.list();
    const other = installed.find((each) => each.id === id);
    if (other && other.name !== name) {
      const sentence = `${name} cannot be installed: ${other.name} has the id ${id} already. Remove that first.`;
      throw new PitvError('PITV_PACKAGE_CLASH', sentence);
    }
    const { value: max } = LIMITS.packages;
    if (!other && installed.length >= max) {
      throw new PitvError('PITV_PACKAGE_LIMIT', `${max} packages are installed. Remove one first.`);
    }
  }

  /** @param {Staged} staged @param {Source} source @returns {Promise<Installed>} */
  async #commit({ manifest, path, bytes, files, hash }, source) {
    const folder = `${manifest.id}-${basename(path).slice(1)}`;
    const installedAt = Date.now();
    const installed = { ...manifest, folder, bytes, files, hash, source, installedAt };
    const place = join(this.#folders, folder);
    await rename(path, place);
    try {
      await flush(this.#folders);
      await this.store.write(`${GAMES}/${manifest.id}.json`, JSON.stringify(installed));
    } catch (error) {
      await rm(place, { recursive: true, force: true });
      throw error;
    }
    return installed;
  }

  /** Removes all but the files. @param {string} id @throws {PitvError} PITV_PACKAGE_UNKNOWN, PITV_PACKAGE_NOT_KEPT */
  async remove(id) {
    await this.get(id);
    await this.saving(async () => {
      await this.store.remove(`${GAMES}/${id}.json`);
      await flush(this.directory);
    });
  }

  /**
   * Deletes the files of versions that are not installed.
   * @param {object} use @param {Set<string>} use.inUse folders that matches use; see Installed
   * @param {Set<string>} use.known folders that were installed since the TV started. Others may belong to an
   *   installation that is not finished, and are deleted later
   */
  async collect({ inUse, known }) {
    const names = await readdir(this.#folders).catch(() => []);
    const installed = new Set((await this.list()).map(({ folder }) => folder));
    for (const name of names) {
      if (installed.has(name) || inUse.has(name)) continue;
      const path = join(this.#folders, name);
      const about = await stat(path).catch(() => undefined);
      const isOld = about && Math.abs(Date.now() - about.ctimeMs) > UNFINISHED_MS;
      if (known.has(name) || isOld) await rm(path, { recursive: true, force: true });
    }
  }

  /**
   * Runs a function that writes to the data directory.
   * @template T @param {() => Promise<T>} action @returns {Promise<T>}
   * @throws {PitvError} PITV_PACKAGE_NOT_KEPT instead of an error of the file system
   */
  async saving(action) {
    try {
      return await action();
    } catch (cause) {
      if (cause instanceof PitvError) throw cause;
      const sentence = `The package cannot be saved in ${this.directory}: ${reasonOf(cause)}.`;
      throw new PitvError('PITV_PACKAGE_NOT_KEPT', sentence, { cause });
    }
  }

  /** Gives files that root writes (`sudo pitv games add`) to the data directory's owner. @param {string[]} paths */
  async #keepOwner(paths) {
    if (process.getuid?.() !== 0) return;
    const { uid, gid } = await stat(this.store.directory);
    if (uid === 0) return;
    for (const path of paths) await lchown(path, uid, gid);
  }
}

/**
 * Writes the files of a package from where it comes: npm, an archive or a folder.
 * @param {PackageFolder} target @param {Source} source @param {string | Uint8Array} [file] see install()
 */
async function fill(target, source, file) {
  if (file instanceof Uint8Array) return (await import('./archive.js')).unpack(file, target);
  if (source.kind !== 'npm') {
    const path = resolve(file ?? String(source.from));
    await access(path, constants.R_OK).catch((error) => {
      throw refused(`${path} cannot be read: ${reasonOf(error)}.`, error);
    });
    if (['folder', 'bundled'].includes(source.kind)) return copySourceFiles(path, target);
    return (await import('./archive.js')).unpack(path, target);
  }
  const { fetchFromNpm } = await import('./npm.js');
  const { unpack } = await import('./archive.js');
  const folder = `${target.folder}-npm`;
  await mkdir(folder, { mode: 0o700 });
  try {
    await unpack(await fetchFromNpm(String(source.from), folder), target);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
