/**
 * The data directory: files are written whole or not at all (temporary file, fsync, rename; see
 * rename(2)), readable by the owner only. A TV whose directory cannot be written runs all the
 * same and forgets.
 */
import { mkdir, open, readFile, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PitvError, messageOf } from './errors.js';

/**
 * Like mkdir with `recursive`, which never comes back on file systems that have no directories to
 * make, such as /proc (nodejs/node, mkdirp takes their ENOENT for a missing parent for ever).
 * @param {string} path absolute
 */
export async function makeDirectory(path) {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    const { code } = /** @type {NodeJS.ErrnoException} */ (error);
    if (code === 'EEXIST' && (await stat(path)).isDirectory()) return;
    if (code !== 'ENOENT' || dirname(path) === path) throw error;
    await makeDirectory(dirname(path));
    await mkdir(path, { mode: 0o700 }).catch((again) => {
      if (again.code !== 'EEXIST') throw again; // another write made it meanwhile
    });
  }
}

/**
 * What root writes into another user's directory (`sudo pitv passwd`) has to be that user's, or the
 * TV could not read it.
 * @param {import('node:fs/promises').FileHandle} file @param {string} directory
 */
async function keepOwner(file, directory) {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await stat(directory);
  if (uid !== 0) await file.chown(uid, gid);
}

export class Store {
  /** @param {string} directory absolute */
  constructor(directory) {
    this.directory = directory;
  }

  /**
   * Makes the directory.
   * @returns {Promise<string | undefined>} why nothing can be kept, if so
   * @throws {PitvError} PITV_USAGE when the path is something else than a directory
   */
  async open() {
    try {
      await makeDirectory(this.directory);
      await this.write('.probe', '');
      await this.remove('.probe');
      return undefined;
    } catch (error) {
      const { code } = /** @type {NodeJS.ErrnoException} */ (error);
      const existing = await stat(this.directory).catch(() => undefined);
      if (code === 'ENOTDIR' || (existing && !existing.isDirectory())) {
        throw new PitvError('PITV_USAGE', `--data-dir ${this.directory} is not a directory.`, {
          cause: error,
        });
      }
      return messageOf(error);
    }
  }

  /** @param {string} name relative to the directory */
  #at(name) {
    return join(this.directory, name);
  }

  /**
   * @param {string} name
   * @param {string | Uint8Array | Uint8Array[]} data
   */
  async write(name, data) {
    const path = this.#at(name);
    const temporary = `${path}.${process.pid}.tmp`;
    await makeDirectory(dirname(path));
    try {
      const file = await open(temporary, 'w', 0o600);
      try {
        await keepOwner(file, dirname(path));
        for (const part of Array.isArray(data) ? data : [data]) await file.writeFile(part);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(temporary, path);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
    const directory = await open(dirname(path), 'r');
    try {
      await directory.sync(); // the rename itself lies in the directory
    } finally {
      await directory.close();
    }
  }

  /** @param {string} name @returns {Promise<Buffer | undefined>} undefined when there is none */
  async read(name) {
    try {
      return await readFile(this.#at(name));
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return undefined;
      throw error;
    }
  }

  /** @param {string} name a folder @returns {Promise<string[]>} the files in it, sorted */
  async list(name) {
    try {
      const files = await readdir(this.#at(name));
      return files.filter((file) => !file.endsWith('.tmp')).sort();
    } catch {
      return [];
    }
  }

  /** @param {string} name */
  async remove(name) {
    await rm(this.#at(name), { force: true });
  }
}
