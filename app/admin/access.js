/** How somebody becomes the admin: by the token (scripts, first start) or by the password. */
import { loadAdminToken } from './token.js';
import { PitvError, messageOf } from '../errors.js';
import { Guesses } from './guesses.js';
import { HashQueue } from './hash-queue.js';
import { PasswordFile } from './password-file.js';
import { matches } from './password.js';
import { AdminSessions } from './sessions.js';

/**
 * @typedef {object} AccessOptions
 * @property {boolean} writable
 * @property {import('pino').BaseLogger} log
 * @property {string} [passwordFile] whose first line is a password to be taken over; may be missing
 * @property {import('./password.js').Hash} [hash] for tests and measurements
 * @property {ConstructorParameters<typeof Guesses>[0]} [guesses]
 * @property {number} [maxWaiting] logins that may wait for the one being checked
 * @property {() => number} [clock] ms since 1970
 */

export class AdminAccess {
  /**
   * @param {{token: string, kept: boolean}} token
   * @param {PasswordFile} password @param {AdminSessions} sessions
   * @param {Pick<AccessOptions, 'guesses' | 'maxWaiting' | 'log'>} options
   */
  constructor({ token, kept }, password, sessions, { guesses, maxWaiting, log }) {
    this.token = token;
    /** will the token be the same at the next start? */
    this.kept = kept;
    this.password = password;
    this.sessions = sessions;
    this.guesses = new Guesses(guesses);
    this.queue = new HashQueue(maxWaiting);
    this.log = log;
  }

  /**
   * @param {string} password what somebody typed @param {string} address from where
   * @throws {PitvError} PITV_PASSWORD_UNSET, PITV_PASSWORD_WRONG, PITV_LOGIN_LOCKED, PITV_LOGIN_BUSY
   */
  async checkPassword(password, address) {
    const record = await this.password.current();
    if (!record) {
      throw new PitvError(
        'PITV_PASSWORD_UNSET',
        'This TV has no password yet. Set one with the admin token that it printed at its start.',
      );
    }
    const giveBack = this.guesses.take(address);
    let right;
    try {
      right = await this.queue.run(() => matches(password, record, this.password.hash));
    } catch (error) {
      giveBack();
      throw error;
    }
    if (!right) {
      this.log.warn({ address }, 'a wrong admin password');
      throw new PitvError('PITV_PASSWORD_WRONG', 'That is not the password.');
    }
    giveBack();
    return record;
  }

  /**
   * @param {string} password @param {string} address
   * @returns {Promise<string>} the cookie
   * @throws {PitvError} see checkPassword()
   */
  async login(password, address) {
    const cookie = this.sessions.start(await this.checkPassword(password, address));
    this.log.info({ address }, 'the admin logged in');
    return cookie;
  }

  /**
   * Ends all sessions.
   * @param {unknown} password the new one @param {string} address
   * @returns {Promise<string>} the cookie of a new session
   * @throws {PitvError} PITV_PASSWORD_INVALID, PITV_PASSWORD_NOT_KEPT, PITV_LOGIN_BUSY
   */
  async setPassword(password, address) {
    await this.queue.run(() => this.password.set(password));
    this.sessions.endAll();
    const record = await this.password.current();
    if (!record) throw new PitvError('PITV_PASSWORD_NOT_KEPT', 'The password was not kept.');
    this.log.info({ address }, 'a new admin password');
    return this.sessions.start(record);
  }
}

/**
 * @param {import('../storage/store.js').Store} store
 * @param {AccessOptions} options
 * @returns {Promise<AdminAccess>}
 */
export async function openAdminAccess(store, options) {
  const { writable, log, hash, clock, passwordFile } = options;
  const token = await loadAdminToken(store, writable);
  const password = new PasswordFile(store, { hash });
  const sessions = await AdminSessions.open(store, { log, clock });
  if (passwordFile) {
    try {
      if (await password.takeOver(passwordFile)) {
        log.info({ file: passwordFile }, 'the admin password was taken over');
      }
    } catch (error) {
      // A typing error on the card must not keep the TV off.
      log.error({ error: messageOf(error) }, 'the admin password was not taken over');
    }
  }
  return new AdminAccess(token, password, sessions, options);
}
