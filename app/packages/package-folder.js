/**
 * Writes the files of a package into a new folder. Paths, sizes and the number of files are checked here, for all
 * sources of packages.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { chmod, lstat, mkdir, open, opendir, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PitvError } from '../errors.js';
import { hasHidden } from '../errors/visible-text.js';
import { LIMITS } from '../limits/table.js';
import { codeOf, reasonOf } from '../storage/reason.js';
import { flush } from '../storage/store.js';

/**
 * A game runs as the user nobody where the TV runs as root, and has to read its files. The folders above are closed to
 * other users.
 */
const FOLDER_MODE = 0o755;
const FILE_MODE = 0o644;
const MAX_PART = 100;
/** Characters of a path that a message shows. */
const MAX_SHOWN = 80;

/** Makes the error for what pitv does not accept. @param {string} sentence @param {unknown} [cause] */
export const refused = (sentence, cause) =>
  new PitvError('PITV_PACKAGE_ARCHIVE', sentence, { cause });
/** @param {string} sentence */
export const tooLarge = (sentence) => new PitvError('PITV_PACKAGE_SIZE', sentence);
/** Formats a path for a message. @param {string} path */
export const shown = (path) => JSON.stringify(path.slice(0, MAX_SHOWN));

/** Checks the path of a file in a package. @param {string} path relative @throws {PitvError} PITV_PACKAGE_ARCHIVE */
function checkPath(path) {
  const parts = path.split('/');
  if (path.startsWith('/')) throw refused(`The path ${shown(path)} is absolute.`);
  if (parts.includes('..')) throw refused(`The path ${shown(path)} leads out of the package.`);
  if (parts.includes('node_modules')) {
    throw refused(`The package contains ${shown(path)}; a game brings no other packages.`);
  }
  const { value: maxBytes } = LIMITS.packagePathBytes;
  const isPlain = parts.every((part) => {
    const isName = part !== '' && part !== '.' && part.length <= MAX_PART;
    return isName && !part.includes('\\') && !hasHidden(part);
  });
  if (!isPlain || Buffer.byteLength(path) > maxBytes) {
    throw refused(
      `The path ${shown(path)} is not accepted. A path has at most ${maxBytes} bytes and each part at most ${MAX_PART} characters, without control, direction and invisible characters and backslashes.`,
    );
  }
}

/** Makes the folder of a package. @param {string} path */
export async function makePackageFolder(path) {
  await mkdir(path);
  await chmod(path, FOLDER_MODE);
}

export class PackageFolder {
  #entries = 0;
  /** Hashes of the files, by path. @type {Map<string, string>} */
  #hashes = new Map();
  bytes = 0;

  /** @param {string} folder new and empty @param {{durable?: boolean}} [how] durable: flush files, by default true */
  constructor(folder, { durable = true } = {}) {
    this.folder = folder;
    this.durable = durable;
  }

  /** Number of files. */
  get files() {
    return this.#hashes.size;
  }

  /** A hash of all paths and contents. @returns {string} hex */
  get hash() {
    const hash = createHash('sha256');
    for (const path of [...this.#hashes.keys()].sort()) {
      hash.update(`${path}\0${this.#hashes.get(path)}\n`);
    }
    return hash.digest('hex');
  }

  #count() {
    const { value: max } = LIMITS.packageFiles;
    if (++this.#entries > max) throw tooLarge(`The package has more than ${max} files.`);
  }

  /** Adds a folder. @param {string} path @throws {PitvError} PITV_PACKAGE_ARCHIVE, PITV_PACKAGE_SIZE */
  async addFolder(path) {
    checkPath(path);
    if (!(await this.#makeFolder(path))) this.#count();
  }

  /** Makes a folder and those above it. @param {string} path @returns {Promise<boolean>} whether it was missing */
  async #makeFolder(path) {
    const parts = path.split('/');
    let isNew = false;
    for (let depth = 1; depth <= parts.length; depth++) {
      const above = join(this.folder, ...parts.slice(0, depth));
      const made = await mkdir(above, { recursive: true }).catch((error) => {
        if (codeOf(error) !== 'EEXIST') throw error;
        throw refused(`The package contains a file and a folder of ${shown(path)}.`, error);
      });
      isNew = made !== undefined;
      if (!isNew) continue;
      this.#count(); // also those that only the paths of files name
      await chmod(above, FOLDER_MODE);
    }
    return isNew;
  }

  /**
   * Adds a file.
   * @param {string} path @param {number} size as announced, in bytes
   * @param {AsyncIterable<Uint8Array>} content
   * @throws {PitvError} PITV_PACKAGE_ARCHIVE, PITV_PACKAGE_SIZE, or the error of the file system
   */
  async addFile(path, size, content) {
    checkPath(path);
    this.#count();
    this.#checkSize(path, size);
    if (path.includes('/')) await this.#makeFolder(dirname(path));
    const hash = createHash('sha256');
    let length = 0;
    const file = await this.#create(path);
    try {
      for await (const chunk of content) {
        length += chunk.length;
        this.#checkSize(path, length);
        hash.update(chunk);
        await file.writeFile(chunk);
      }
      if (this.durable) await file.sync();
    } finally {
      await file.close();
    }
    this.bytes += length;
    this.#hashes.set(path, hash.digest('hex'));
  }

  /** @param {string} path */
  async #create(path) {
    try {
      const file = await open(join(this.folder, path), 'wx', FILE_MODE);
      await file.chmod(FILE_MODE); // whatever the umask is
      return file;
    } catch (error) {
      if (codeOf(error) !== 'EEXIST') throw error;
      throw refused(`The package contains ${shown(path)} twice.`, error);
    }
  }

  /** @param {string} path @param {number} size */
  #checkSize(path, size) {
    const { packageFileBytes, packageBytes } = LIMITS;
    if (size > packageFileBytes.value) {
      throw tooLarge(`${shown(path)} has more than ${packageFileBytes.value} bytes.`);
    }
    if (this.bytes + size > packageBytes.value) {
      throw tooLarge(`The package has more than ${packageBytes.value} bytes.`);
    }
  }

  /** Flushes all folders to the disk. */
  async sync() {
    if (!this.durable) return;
    for (const entry of await readdir(this.folder, { recursive: true, withFileTypes: true })) {
      if (entry.isDirectory()) await flush(join(entry.parentPath ?? entry.path, entry.name));
    }
    await flush(this.folder);
  }
}

/** Tells whether a file or folder belongs to the author's tools. */
export const isLeftOut = (/** @type {string} */ name) =>
  name.startsWith('.') || name === 'node_modules' || name.endsWith('.tgz');

/** @param {string} path @throws {PitvError} PITV_PACKAGE_ARCHIVE */
const openFolder = (path) =>
  opendir(path).catch((cause) => {
    throw refused(`The folder ${path} cannot be read: ${reasonOf(cause)}.`, cause);
  });

/**
 * Lists the files of a package, except node_modules/, archives and names that begin with a dot.
 * @param {string} folder
 * @returns {Promise<{path: string, size: number}[]>} paths in the folder, sorted; sizes in bytes
 * @throws {PitvError} PITV_PACKAGE_ARCHIVE, PITV_PACKAGE_SIZE
 */
export async function listSourceFiles(folder) {
  const found = [];
  const folders = [''];
  let entries = 0;
  for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
    for await (const { name } of await openFolder(join(folder, at))) {
      if (isLeftOut(name)) continue;
      const path = at ? `${at}/${name}` : name;
      const about = await lstat(join(folder, path));
      if (about.isDirectory()) folders.push(path);
      else if (about.isFile()) found.push({ path, size: about.size });
      else throw refused(`${shown(path)} is neither a file nor a folder.`);
      const { value: max } = LIMITS.packageFiles;
      if (++entries > max) {
        throw tooLarge(`${folder} has more than ${max} files. Is it the folder of a game?`);
      }
    }
  }
  return found.sort((p, q) => (p.path < q.path ? -1 : 1));
}

/** Copies the files of a package. @param {string} folder @param {PackageFolder} target @throws like addFile() */
export async function copySourceFiles(folder, target) {
  for (const { path, size } of await listSourceFiles(folder)) {
    await target.addFile(path, size, createReadStream(join(folder, path)));
  }
}
