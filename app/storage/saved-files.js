/**
 * Reads files of an earlier start. Power cuts, failing cards, other programs and people leave files that
 * cannot be used: cut off, in another format, too large, directories, links, pipes. Such a file is
 * renamed to NAME.bad-N, so that it is neither used nor lost, and the TV starts without it.
 */
import { access, constants, lstat, open, opendir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { PitvError } from '../errors.js';
import { LIMITS } from '../limits/table.js';
import { findWrong } from '../options.js';
import { isObject } from './checks.js';
import { codeOf, reasonOf } from './reason.js';

const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK, R_OK, W_OK, X_OK } = constants;
const BAD = /\.bad-\d{1,3}$/;
/** Entries of a folder that are read. */
const MAX_ENTRIES = 4096;
/** More problems than this are counted instead of named. */
const MAX_SENTENCES = 3;
/** Errors of open(2) that concern the file. Others, for example EMFILE, concern the machine. */
const FILE_ERRORS = Object.freeze(['EACCES', 'EPERM', 'ELOOP', 'ENXIO', 'ENODEV', 'EISDIR']);

/** Makes the error for a saved file. @param {string} why a clause without a full stop @param {unknown} [cause] */
export const unusable = (why, cause) => new PitvError('PITV_SAVED_INVALID', `${why}.`, { cause });

/**
 * Reads a regular file of a limited size. Never waits for a pipe or a device.
 * @param {string} path @param {number} maxBytes
 * @param {{followLinks?: boolean}} [options] followLinks: for files that a person names
 * @throws {PitvError} PITV_SAVED_INVALID, or the error of the file system
 */
export async function readRegularFile(path, maxBytes, { followLinks = false } = {}) {
  const file = await open(path, O_RDONLY | O_NONBLOCK | (followLinks ? 0 : O_NOFOLLOW));
  try {
    const about = await file.stat();
    if (!about.isFile()) throw unusable('it is not a regular file');
    const { size } = about;
    if (size > maxBytes) throw unusable(`it has ${size} bytes, and ${maxBytes} are allowed`);
    return (await file.readFile()).subarray(0, size);
  } finally {
    await file.close();
  }
}

/** Parses a saved file of JSON. @param {Buffer} bytes @throws {PitvError} PITV_SAVED_INVALID */
export function parseJson(bytes) {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch (error) {
    throw unusable('it is not valid JSON', error);
  }
}

/**
 * Parses a saved file that is an object.
 * @param {Buffer} bytes @param {number | undefined} format that it must have
 * @param {Record<string, import('../options.js').Field>} fields its other fields
 * @returns {any} those of them that it has @throws {PitvError} PITV_SAVED_INVALID
 */
export function parseFields(bytes, format, fields) {
  const given = parseJson(bytes);
  if (!isObject(given)) throw unusable('it is not an object');
  if (given.format !== format) throw unusable(`its format is not ${format}`);
  const wrong = findWrong(fields, given);
  if (wrong) throw unusable(`its field "${wrong}" is wrong`);
  const names = Object.keys(fields).filter((name) => given[name] !== undefined);
  return Object.fromEntries(names.map((name) => [name, given[name]]));
}

/** Lists a folder, if it exists. @param {string} folder @param {RegExp} pattern @returns {Promise<string[]>} sorted */
export async function listNames(folder, pattern) {
  const names = [];
  let entries = 0;
  try {
    for await (const { name } of await opendir(folder)) {
      if (pattern.test(name)) names.push(name);
      if (++entries === MAX_ENTRIES || names.length === LIMITS.savedFiles.value) break;
    }
  } catch (error) {
    if (!['ENOENT', 'ENOTDIR'].includes(codeOf(error))) throw error;
  }
  return names.sort();
}

/** Renames a file to NAME.bad-N, and deletes the oldest of too many. @param {string} path */
async function setAside(path) {
  const folder = dirname(path);
  const others = [];
  for (const name of await listNames(folder, BAD)) {
    others.push({ name, at: (await lstat(join(folder, name))).ctimeMs }); // a rename changes ctime
  }
  others.sort((one, two) => two.at - one.at);
  const remaining = others.splice(0, LIMITS.badFiles.value - 1).map(({ name }) => name);
  for (const { name } of others) await rm(join(folder, name), { recursive: true, force: true });
  let number = 1;
  while (remaining.includes(`${basename(path)}.bad-${number}`)) number++;
  const name = `${basename(path)}.bad-${number}`;
  await rename(path, join(folder, name));
  return name;
}

export class SavedFiles {
  /** @type {Map<string, string>} path -> sentence */
  #problems = new Map();

  /** @param {string} directory the data directory @param {{warn(about: object, sentence: string): void}} [log] */
  constructor(directory, log) {
    this.directory = directory;
    this.log = log;
  }

  /** Sentences about the files that were ignored. @returns {string[]} */
  get problems() {
    const all = [...this.#problems.values()];
    if (all.length <= MAX_SENTENCES) return all;
    return [`${all.length} saved files were ignored, see the log. The first one: ${all[0]}`];
  }

  /**
   * Reads and checks a saved file. A file that cannot be used is set aside.
   * @template T
   * @param {string} path @param {object} format
   * @param {(bytes: Buffer) => T} format.parse checks types and ranges; throws when one is wrong
   * @param {number} [format.maxBytes]
   * @returns {Promise<T | undefined>} undefined when there is no such file, or none that can be used
   */
  async load(path, { parse, maxBytes = LIMITS.savedStateBytes.value }) {
    try {
      const value = parse(await readRegularFile(path, maxBytes));
      this.#problems.delete(path);
      return value;
    } catch (error) {
      if (!['ENOENT', 'ENOTDIR'].includes(codeOf(error))) await this.reject(path, error);
      return undefined;
    }
  }

  /**
   * Sets aside anything that is not a usable folder, so that a folder can be made in its place. A link to
   * a folder is left alone: it may be on another disk.
   * @param {string} path of a folder
   */
  async checkFolder(path) {
    try {
      if (!(await stat(path)).isDirectory()) throw unusable('it is not a directory');
      await access(path, R_OK | W_OK | X_OK);
    } catch (error) {
      await this.reject(path, error); // also a link to nothing; does nothing if nothing has this name
    }
  }

  /** Sets a file or a folder aside, and logs why. @param {string} path @param {unknown} error why it cannot be used */
  async reject(path, error) {
    const code = codeOf(error);
    const why = code === 'ELOOP' || code === 'ENOENT' ? 'it is a symbolic link' : reasonOf(error);
    const name = relative(this.directory, path);
    const isOfFile = !/^E[A-Z0-9]+$/.test(code) || code === 'ENOENT' || FILE_ERRORS.includes(code);
    let outcome = 'It stays where it is.';
    if (isOfFile) {
      try {
        outcome = `It is now called ${await setAside(path)}.`;
      } catch (failure) {
        if (codeOf(failure) === 'ENOENT') return; // another read has set it aside
        outcome = `It could not be renamed: ${reasonOf(failure)}.`;
      }
    }
    const sentence = `The saved file ${name} was ignored: ${why}. ${outcome}`;
    if (this.#problems.get(path) === sentence) return;
    this.#problems.set(path, sentence);
    this.log?.warn({ file: path }, sentence);
  }

  /** Forgets the problem of a file that has been written. @param {string} path */
  forget(path) {
    this.#problems.delete(path);
  }
}

/** Tells whether a path can be accessed. @param {string} path @param {number} [mode] see access() of Node.js */
export const canAccess = (path, mode) =>
  access(path, mode)
    .then(() => true)
    .catch(() => false);
