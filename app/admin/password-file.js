/**
 * Stores the hash of the admin's password in the data directory. `pitv passwd` may change the file at any time, so
 * each use checks first whether the file has changed.
 */
import { lstat, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { PitvError, messageOf } from '../errors.js';
import { LIMITS } from '../limits/table.js';
import { isObject } from '../storage/checks.js';
import { parseJson, readRegularFile, unusable } from '../storage/saved-files.js';
import {
  checkNewPassword,
  hashInPool,
  hashPassword,
  isPasswordRecord,
  verifyPassword,
} from './password.js';

export const PASSWORD_FILE = 'admin-password';

/** @typedef {import('./password.js').PasswordRecord} PasswordRecord */

/**
 * @typedef {object} SavedPasswords
 * @property {PasswordRecord} [password]
 * @property {PasswordRecord} [taken] the last one imported from --admin-password-file
 * @property {PasswordRecord} [shared] the last one that all nodes of a fleet had
 */

/** @type {{maxBytes: number, parse: (bytes: Buffer) => SavedPasswords}} */
const FORMAT = {
  maxBytes: LIMITS.savedStateBytes.value,
  parse(bytes) {
    const saved = parseJson(bytes);
    if (!isObject(saved)) throw unusable('it holds no password');
    const { password = null, taken = null, shared = null } = saved;
    for (const record of [password, taken, shared]) {
      if (record !== null && !isPasswordRecord(record)) {
        throw unusable('its password record is not valid');
      }
    }
    return /** @type {SavedPasswords} */ ({
      password: password ?? undefined,
      taken: taken ?? undefined,
      shared: shared ?? undefined,
    });
  },
};

export class PasswordFile {
  /** @type {SavedPasswords} */
  #saved = {};
  /** Identifies the content that was read last; empty when it cannot be used. */
  #version = '';
  /** @type {Promise<unknown>} */
  #writing = Promise.resolve();

  /**
   * @param {import('../storage/store.js').Store} store
   * @param {{hash?: import('./password.js').Hash}} [options]
   */
  constructor(store, { hash = hashInPool } = {}) {
    this.store = store;
    this.hash = hash;
  }

  /** Returns the current password's record. @returns {Promise<PasswordRecord | undefined>} undefined: none is set */
  async current() {
    await this.#read();
    return this.#saved.password;
  }

  async #read() {
    const about = await lstat(join(this.store.directory, PASSWORD_FILE)).catch(() => undefined);
    const version = about ? `${about.ino} ${about.mtimeMs} ${about.size}` : ''; // a rename changes the inode
    if (about && version === this.#version) return;
    const saved = about && (await this.store.load(PASSWORD_FILE, FORMAT));
    this.#saved = saved ?? {};
    this.#version = saved ? version : '';
  }

  /**
   * Sets the password.
   * @param {unknown} password
   * @throws {PitvError} PITV_PASSWORD_INVALID, PITV_PASSWORD_NOT_KEPT
   */
  async set(password) {
    const record = await hashPassword(password, this.hash);
    await this.#write((saved) => ({ ...saved, password: record }));
  }

  /** Removes the password. Only the token gives access then. @throws {PitvError} PITV_PASSWORD_NOT_KEPT */
  async clear() {
    await this.#write((saved) => ({ ...saved, password: undefined }));
  }

  /**
   * Tells whether the password was set here since a fleet has shared one.
   * @returns {Promise<{isNew: boolean, wasShared: boolean}>} isNew: there is a password, and the fleet does not have
   *   it; wasShared: the fleet has had one from here or given one
   */
  async unshared() {
    await this.#read();
    const { password, shared } = this.#saved;
    return {
      isNew: password !== undefined && !isDeepStrictEqual(password, shared),
      wasShared: shared !== undefined,
    };
  }

  /** Notes that the fleet has a password. @param {PasswordRecord} record @throws {PitvError} PITV_PASSWORD_NOT_KEPT */
  async markShared(record) {
    await this.#write((saved) => ({ ...saved, shared: record }));
  }

  /** Takes over the password of a fleet. @param {PasswordRecord} record @throws {PitvError} PITV_PASSWORD_NOT_KEPT */
  async adopt(record) {
    await this.#read();
    const { password, shared } = this.#saved;
    if ([password, shared].every((known) => isDeepStrictEqual(known, record))) return;
    await this.#write((saved) => ({ ...saved, password: record, shared: record }));
  }

  /**
   * Imports the first line of a file as the password. The file is ignored if it holds the same password as at the
   * last import and is older than the last change, so that it does not undo a later change.
   * @param {string} path need not exist
   * @returns {Promise<boolean>} whether the password has changed
   * @throws {PitvError} PITV_PASSWORD_FILE, PITV_PASSWORD_INVALID, PITV_PASSWORD_NOT_KEPT
   */
  async importFrom(path) {
    let text;
    try {
      const options = { followLinks: true }; // a container's secret is a symbolic link
      const bytes = await readRegularFile(path, LIMITS.savedStateBytes.value, options);
      text = bytes.toString('utf8');
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return false;
      throw new PitvError('PITV_PASSWORD_FILE', `${path} cannot be read: ${messageOf(error)}.`);
    }
    const password = text.split(/\r?\n/, 1)[0].replace(/^\uFEFF/, '');
    if (password === '') return false;
    checkNewPassword(password);
    await this.#read();
    const { taken, password: current } = this.#saved;
    const newer = await isNewer(path, join(this.store.directory, PASSWORD_FILE));
    if (!newer && taken && (await verifyPassword(password, taken, this.hash))) return false;
    const same = current !== undefined && (await verifyPassword(password, current, this.hash));
    const record = same ? current : await hashPassword(password, this.hash);
    // The same password is written, too: the modification time then shows that the file was imported.
    await this.#write((saved) => ({ ...saved, password: record, taken: record }));
    return !same;
  }

  /** Changes the file. Calls run one after the other. @param {(saved: SavedPasswords) => SavedPasswords} change */
  async #write(change) {
    const written = this.#writing.then(async () => {
      await this.#read();
      const { password = null, taken, shared } = change(this.#saved);
      await this.store.write(PASSWORD_FILE, `${JSON.stringify({ password, taken, shared })}\n`);
    });
    this.#writing = written.catch(() => {});
    try {
      await written;
    } catch (error) {
      throw new PitvError(
        'PITV_PASSWORD_NOT_KEPT',
        `The password cannot be saved in ${this.store.directory}: ${messageOf(error)}.`,
        { cause: error },
      );
    }
  }
}

/**
 * Tells whether a file was modified after another one.
 * @param {string} path @param {string} other
 * @returns {Promise<boolean>} true if the other one does not exist
 */
async function isNewer(path, other) {
  const [one, two] = await Promise.all([stat(path), stat(other).catch(() => undefined)]);
  return !two || one.mtimeMs > two.mtimeMs;
}
