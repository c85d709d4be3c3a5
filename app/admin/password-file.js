/**
 * Stores the hash of the admin's password in the data directory. `pitv passwd` may change the file at any time, so
 * each use checks first whether the file has changed.
 */
import { lstat, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { PitvError, messageOf } from '../errors.js';
import { LIMITS } from '../limits/table.js';
import { optional } from '../options.js';
import { codeOf } from '../storage/reason.js';
import { parseFields, readRegularFile } from '../storage/saved-files.js';
import {
  PASSWORD_RECORD,
  checkNewPassword,
  hashInPool,
  hashPassword,
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

const RECORD = optional(PASSWORD_RECORD);
const FIELDS = { password: RECORD, taken: RECORD, shared: RECORD };
/** @param {Buffer} bytes @returns {SavedPasswords} @throws {PitvError} PITV_SAVED_INVALID */
const parse = (bytes) => parseFields(bytes, undefined, FIELDS);

export class PasswordFile {
  /** @type {SavedPasswords} */
  #saved = {};
  /** Identifies the content that was read last; empty when it cannot be used. */
  #version = '';
  /** @type {Promise<unknown>} */
  #writing = Promise.resolve();

  /** @param {import('../storage/store.js').Store} store @param {{hash?: import('./password.js').Hash}} [options] */
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
    const saved = about && (await this.store.load(PASSWORD_FILE, { parse }));
    this.#saved = saved ?? {};
    this.#version = saved ? version : '';
  }

  /**
   * Sets the password.
   * @param {unknown} password @returns {Promise<PasswordRecord>}
   * @throws {PitvError} PITV_PASSWORD_INVALID, PITV_PASSWORD_NOT_KEPT
   */
  async set(password) {
    const record = await hashPassword(password, this.hash);
    await this.#write((saved) => ({ ...saved, password: record }));
    return record;
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
      if (codeOf(error) === 'ENOENT') return false;
      throw new PitvError('PITV_PASSWORD_FILE', `${path} cannot be read: ${messageOf(error)}.`);
    }
    const password = text.split(/\r?\n/, 1)[0].replace(/^\uFEFF/, '');
    if (password === '') return false;
    checkNewPassword(password);
    await this.#read();
    const { taken, password: current } = this.#saved;
    const own = await stat(join(this.store.directory, PASSWORD_FILE)).catch(() => undefined);
    const isNewer = !own || (await stat(path)).mtimeMs > own.mtimeMs;
    if (!isNewer && taken && (await verifyPassword(password, taken, this.hash))) return false;
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
      await this.store.write(PASSWORD_FILE, `${JSON.stringify(change(this.#saved))}\n`);
    });
    this.#writing = written.catch(() => {});
    try {
      await written;
    } catch (error) {
      const sentence = `The password cannot be saved in ${this.store.directory}: ${messageOf(error)}.`;
      throw new PitvError('PITV_PASSWORD_NOT_KEPT', sentence, { cause: error });
    }
  }
}
