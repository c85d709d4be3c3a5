/**
 * The data directory. Files are written completely or not at all (temporary file, fsync, rename; see rename(2)) and
 * are readable by the owner only. A TV whose data directory cannot be written runs without saving anything.
 */
import { randomBytes } from 'node:crypto';
import { lstat, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { PitvError } from '../errors.js';
import { codeOf, reasonOf } from './reason.js';
import { SavedFiles, listNames, unusable } from './saved-files.js';

/**
 * Makes a directory and its parents. mkdir() with `recursive` never returns on file systems without mkdir(2), such as
 * /proc: it takes their ENOENT for a missing parent again and again.
 * @param {string} path @param {number} [mode] of what is made
 */
export async function makeDirectory(path, mode = 0o700) {
  try {
    await mkdir(path, { mode });
  } catch (error) {
    const code = codeOf(error);
    if (code === 'EEXIST' && (await stat(path)).isDirectory()) return;
    if (code !== 'ENOENT' || dirname(path) === path) throw error;
    await makeDirectory(dirname(path), mode);
    await mkdir(path, { mode }).catch((again) => {
      if (again.code !== 'EEXIST') throw again; // another write made it meanwhile
    });
  }
}

/** Flushes a file or a folder to the disk. @param {string} path */
export async function flush(path) {
  const handle = await open(path, 'r');
  await handle.sync().finally(() => handle.close());
}

/**
 * Gives a file that root writes into another user's directory (`sudo pitv passwd`) to that user, so that the TV can
 * read it.
 * @param {import('node:fs/promises').FileHandle} file @param {string} directory
 */
async function keepOwner(file, directory) {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await stat(directory);
  if (uid !== 0) await file.chown(uid, gid);
}

export class Store {
  /** @type {import('node:net').Server | undefined} */
  #claim;

  /** @param {string} directory absolute @param {{warn(about: object, sentence: string): void}} [log] */
  constructor(directory, log) {
    this.directory = directory;
    this.files = new SavedFiles(directory, log);
  }

  /**
   * Makes the directory, and sets aside files that have the names of its folders.
   * @param {string[]} [folders] names
   * @returns {Promise<string | undefined>} why nothing can be saved; undefined when everything is well
   * @throws {PitvError} PITV_USAGE when the path is something else than a directory
   */
  async open(folders = []) {
    try {
      await makeDirectory(this.directory);
      await this.write('.probe', '');
      await this.remove('.probe');
      for (const name of folders) await this.files.checkFolder(this.#at(name));
      return undefined;
    } catch (error) {
      const existing = await stat(this.directory).catch(() => undefined);
      if (codeOf(error) === 'ENOTDIR' || (existing && !existing.isDirectory())) {
        const sentence = `--data-dir ${this.directory} is not a directory.`;
        throw new PitvError('PITV_USAGE', sentence, { cause: error });
      }
      return reasonOf(error);
    }
  }

  /**
   * Keeps other TVs of this machine from using the directory, until release(). The directory is named by an abstract
   * socket (unix(7)), which is gone with this process, whatever ends that.
   * @throws {PitvError} PITV_DATA_DIR_BUSY
   */
  async claim() {
    const { dev, ino } = await stat(this.directory);
    this.#claim = createServer((socket) => socket.destroy()).unref();
    const { code } = await new Promise((resolve) => {
      this.#claim?.once('error', resolve).listen(`\0pitv ${dev} ${ino}`, () => resolve({}));
    });
    if (code !== 'EADDRINUSE') return; // other errors are those of systems without such sockets
    const sentence = `Another TV uses the data directory ${this.directory}. Give this one another with --data-dir.`;
    throw new PitvError('PITV_DATA_DIR_BUSY', sentence);
  }

  /** Lets other TVs use the directory. */
  release() {
    this.#claim?.close();
  }

  /** @param {string} name relative to the directory */
  #at(name) {
    return join(this.directory, name);
  }

  /** Writes a file. @param {string} name @param {string | Uint8Array | Uint8Array[]} data */
  async write(name, data) {
    const path = this.#at(name);
    const temporary = `${path}.${randomBytes(6).toString('hex')}.tmp`;
    await makeDirectory(dirname(path));
    try {
      // Exclusively: `sudo pitv passwd` writes here as root, and must not follow another user's link.
      const file = await open(temporary, 'wx', 0o600);
      try {
        await keepOwner(file, dirname(path));
        for (const part of Array.isArray(data) ? data : [data]) await file.writeFile(part);
        await file.sync();
      } finally {
        await file.close();
      }
      await this.#putInPlace(temporary, path);
      this.files.forget(path);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
    await flush(dirname(path)); // the rename is a change of the directory
  }

  /** @param {string} temporary @param {string} path a directory with this name is set aside */
  async #putInPlace(temporary, path) {
    try {
      await rename(temporary, path);
    } catch (error) {
      if (codeOf(error) !== 'EISDIR') throw error;
      await this.files.reject(path, unusable('it is a directory'));
      await rename(temporary, path);
    }
  }

  /**
   * Reads and checks a file; see SavedFiles.load().
   * @template T
   * @param {string} name @param {{parse: (bytes: Buffer) => T, maxBytes?: number}} format
   */
  load(name, format) {
    return this.files.load(this.#at(name), format);
  }

  /** Tells whether there is a file with a name. @param {string} name @returns {Promise<boolean>} */
  async has(name) {
    return (await lstat(this.#at(name)).catch(() => undefined))?.isFile() ?? false;
  }

  /**
   * Lists a folder.
   * @param {string} name @param {RegExp} pattern of the names
   * @returns {Promise<string[]>} sorted; empty when the folder is missing or cannot be read
   */
  list(name, pattern) {
    return listNames(this.#at(name), pattern).catch(() => []);
  }

  /** Deletes a file if it exists. @param {string} name */
  async remove(name) {
    await rm(this.#at(name), { force: true });
  }
}
