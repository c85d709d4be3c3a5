/**
 * Where the password's hash is kept in the data directory. `pitv passwd` may change the file at any
 * time, so it is looked at before each use.
 */
import { lstat, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { PitvError, messageOf } from '../errors.js';
import { LIMITS } from '../limits/table.js';
import { isObject } from '../storage/checks.js';
import { parseJson, readRegularFile, unusable } from '../storage/saved-files.js';
import { checkNewPassword, hashInPool, isRecord, makeRecord, matches } from './password.js';

export const PASSWORD_FILE = 'admin-password';

/** @typedef {import('./password.js').PasswordRecord} PasswordRecord */

/**
 * @typedef {object} Kept
 * @property {PasswordRecord} [password]
 * @property {PasswordRecord} [taken] the password that was taken over from --admin-password-file last
 */

/** @type {{maxBytes: number, parse: (bytes: Buffer) => Kept}} */
const FORMAT = {
  maxBytes: LIMITS.savedStateBytes.value,
  parse(bytes) {
    const kept = parseJson(bytes);
    if (!isObject(kept)) throw unusable('it holds no password');
    const { password = null, taken = null } = kept;
    for (const record of [password, taken]) {
      if (record !== null && !isRecord(record)) throw unusable('it holds no password of this TV');
    }
    return /** @type {Kept} */ ({ password: password ?? undefined, taken: taken ?? undefined });
  },
};

export class PasswordFile {
  /** @type {Kept} */
  #kept = {};
  #seen = '';
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

  /** @returns {Promise<PasswordRecord | undefined>} undefined: none is set, only the token lets in */
  async current() {
    await this.#read();
    return this.#kept.password;
  }

  async #read() {
    const about = await lstat(join(this.store.directory, PASSWORD_FILE)).catch(() => undefined);
    const seen = about ? `${about.ino} ${about.mtimeMs} ${about.size}` : ''; // rename() gives another ino
    if (about && seen === this.#seen) return;
    const kept = about && (await this.store.load(PASSWORD_FILE, FORMAT));
    this.#kept = kept ?? {};
    this.#seen = kept ? seen : '';
  }

  /**
   * @param {unknown} password
   * @throws {PitvError} PITV_PASSWORD_INVALID, PITV_PASSWORD_NOT_KEPT
   */
  async set(password) {
    const record = await makeRecord(password, this.hash);
    await this.#write((kept) => ({ ...kept, password: record }));
  }

  /** From now on only the token lets in. @throws {PitvError} PITV_PASSWORD_NOT_KEPT */
  async clear() {
    await this.#write((kept) => ({ ...kept, password: undefined }));
  }

  /**
   * Takes over the first line of a file (the SD card's settings, say) when it was written after the last
   * change of the password, or holds another one than it did: one that was set in another way later stays.
   * @param {string} path
   * @returns {Promise<boolean>} is it a new one?
   * @throws {PitvError} PITV_PASSWORD_FILE, PITV_PASSWORD_INVALID, PITV_PASSWORD_NOT_KEPT
   */
  async takeOver(path) {
    let text;
    try {
      // A container's secret is a link.
      const options = { followLinks: true };
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
    const { taken, password: current } = this.#kept;
    const newer = await isNewer(path, join(this.store.directory, PASSWORD_FILE));
    if (!newer && taken && (await matches(password, taken, this.hash))) return false;
    const same = current !== undefined && (await matches(password, current, this.hash));
    const record = same ? current : await makeRecord(password, this.hash);
    // Also when it is the same: who wrote it sees by the time that it has been read.
    await this.#write(() => ({ password: record, taken: record }));
    return !same;
  }

  /** One after the other. @param {(kept: Kept) => Kept} change */
  async #write(change) {
    const written = this.#writing.then(async () => {
      await this.#read();
      const { password = null, taken } = change(this.#kept);
      await this.store.write(PASSWORD_FILE, `${JSON.stringify({ password, taken })}\n`);
    });
    this.#writing = written.catch(() => {});
    try {
      await written;
    } catch (error) {
      throw new PitvError(
        'PITV_PASSWORD_NOT_KEPT',
        `The password cannot be kept in ${this.store.directory}: ${messageOf(error)}.`,
        { cause: error },
      );
    }
  }
}

/** @param {string} path @param {string} other @returns {Promise<boolean>} also when there is no other */
async function isNewer(path, other) {
  const [one, two] = await Promise.all([stat(path), stat(other).catch(() => undefined)]);
  return !two || one.mtimeMs > two.mtimeMs;
}
