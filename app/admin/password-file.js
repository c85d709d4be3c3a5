/**
 * Where the password's hash is kept in the data directory. `pitv passwd` may change the file at any
 * time, so it is looked at before each use.
 */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { PitvError, messageOf } from '../errors.js';
import { checkNewPassword, hashInPool, isRecord, makeRecord, matches } from './password.js';

export const PASSWORD_FILE = 'admin-password';

/** @typedef {import('./password.js').PasswordRecord} PasswordRecord */

/**
 * @typedef {object} Kept
 * @property {PasswordRecord} [password]
 * @property {PasswordRecord} [taken] the password that was taken over from --admin-password-file last
 */

export class PasswordFile {
  /** @type {Kept} */
  #kept = {};
  #seen = '';
  /** @type {Promise<unknown>} */
  #writing = Promise.resolve();

  /**
   * @param {import('../store.js').Store} store
   * @param {{hash?: import('./password.js').Hash, log?: import('pino').BaseLogger}} [options]
   */
  constructor(store, { hash = hashInPool, log } = {}) {
    this.store = store;
    this.hash = hash;
    this.log = log;
  }

  /** @returns {Promise<PasswordRecord | undefined>} undefined: none is set, only the token lets in */
  async current() {
    await this.#read();
    return this.#kept.password;
  }

  async #read() {
    const path = join(this.store.directory, PASSWORD_FILE);
    try {
      const { ino, mtimeMs, size } = await stat(path);
      const seen = `${ino} ${mtimeMs} ${size}`; // rename() gives another ino
      if (seen === this.#seen) return;
      const kept = JSON.parse((await this.store.read(PASSWORD_FILE))?.toString('utf8') ?? '{}');
      this.#kept = {
        password: isRecord(kept.password) ? kept.password : undefined,
        taken: isRecord(kept.taken) ? kept.taken : undefined,
      };
      this.#seen = seen;
      if (!this.#kept.password && kept.password !== null) {
        this.log?.warn({ file: path }, 'what it holds is no password of this TV');
      }
    } catch (error) {
      this.#kept = {};
      this.#seen = '';
      const { code } = /** @type {NodeJS.ErrnoException} */ (error);
      if (code === 'ENOENT' || code === 'ENOTDIR') return;
      this.log?.warn({ file: path, error: messageOf(error) }, 'the password cannot be read');
    }
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
      text = await readFile(path, 'utf8');
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
