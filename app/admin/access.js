/** Authenticates the admin: by token (for scripts and the first start) or by password. */
import { PitvError, messageOf } from '../errors.js';
import { clientKey } from '../limits/client-key.js';
import { GuessLimit } from '../limits/guess-limit.js';
import { LIMITS } from '../limits/table.js';
import { PasswordFile } from './password-file.js';
import { verifyPassword } from './password.js';
import { AdminSessions } from './sessions.js';
import { loadAdminToken } from './token.js';

const RETRY_AFTER_S = 5;

/**
 * Runs password hashes one at a time, with a short queue. Hashing uses libuv's thread pool, which also reads files;
 * with all its threads hashing, pages would not load.
 */
export class HashQueue {
  #isBusy = false;
  /** Those of clients where the admin has logged in. They run first. @type {(() => void)[]} */
  #known = [];
  /** @type {(() => void)[]} */
  #others = [];

  constructor(maxWaiting = LIMITS.waitingLogins.value) {
    this.maxWaiting = maxWaiting;
  }

  /**
   * Runs a function after those that were queued before it.
   * @template T
   * @param {() => Promise<T>} work
   * @param {boolean} [isKnown] whether it comes from a client where the admin has logged in
   * @returns {Promise<T>} the result of `work`
   * @throws {PitvError} PITV_LOGIN_BUSY immediately when the queue is full, or what `work` throws
   */
  async run(work, isKnown = false) {
    if (this.#isBusy) await this.#wait(isKnown ? this.#known : this.#others);
    this.#isBusy = true;
    try {
      return await work();
    } finally {
      const next = this.#known.shift() ?? this.#others.shift();
      if (next) next();
      else this.#isBusy = false;
    }
  }

  /** Waits for the end of the hash before. @param {(() => void)[]} queue @returns {Promise<void>} */
  #wait(queue) {
    if (queue.length >= this.maxWaiting) {
      const sentence = 'Too many logins are waiting. Try again in a moment.';
      throw new PitvError('PITV_LOGIN_BUSY', sentence, { details: { retryAfterS: RETRY_AFTER_S } });
    }
    return new Promise((resolve) => queue.push(resolve));
  }
}

/**
 * @typedef {object} AccessOptions
 * @property {boolean} writable whether the data directory can be written
 * @property {import('pino').BaseLogger} log
 * @property {string} [passwordFile] file to import the password from; need not exist
 * @property {import('./password.js').Hash} [hash] for tests and measurements
 * @property {Partial<Pick<ConstructorParameters<typeof GuessLimit>[0], 'one' | 'all'>>} [attempts]
 * @property {number} [maxWaiting] logins that may wait for another one
 */

export class AdminAccess {
  /**
   * @param {{token: string, isSaved: boolean}} token
   * @param {PasswordFile} password @param {AdminSessions} sessions
   * @param {Pick<AccessOptions, 'attempts' | 'maxWaiting' | 'log'>} options
   */
  constructor({ token, isSaved }, password, sessions, { attempts, maxWaiting, log }) {
    this.token = token;
    /** Whether the token will be the same at the next start. */
    this.isTokenSaved = isSaved;
    this.password = password;
    this.sessions = sessions;
    this.attempts = new GuessLimit({
      one: LIMITS.wrongPasswords.value,
      all: LIMITS.wrongPasswordsOfAll.value,
      ...attempts,
      maxKnown: LIMITS.adminAddresses.value,
      createError: lockedError,
    });
    this.queue = new HashQueue(maxWaiting);
    this.log = log;
  }

  /**
   * Checks a password.
   * @param {string} password
   * @param {string} address of the client
   * @returns {Promise<import('./password.js').PasswordRecord>} the record that the password matches
   * @throws {PitvError} PITV_PASSWORD_UNSET, PITV_PASSWORD_WRONG, PITV_LOGIN_LOCKED, PITV_LOGIN_BUSY
   */
  async checkPassword(password, address) {
    const record = await this.password.current();
    if (!record) {
      const sentence =
        'This TV has no password yet. Log in with the admin token that it printed at its start, then set one.';
      throw new PitvError('PITV_PASSWORD_UNSET', sentence);
    }
    const client = clientKey(address);
    const discount = this.attempts.count(client);
    const isKnown = this.attempts.isKnown(client);
    const verify = () => verifyPassword(password, record, this.password.hash);
    const right = await this.queue.run(verify, isKnown).catch((error) => {
      discount();
      throw error;
    });
    if (!right) {
      this.log.warn({ address }, 'a login with a wrong admin password');
      throw new PitvError('PITV_PASSWORD_WRONG', 'The password is wrong.');
    }
    discount();
    this.remember(address);
    return record;
  }

  /** Remembers that the admin uses an address, so that the guesses of others do not lock it. @param {string} address */
  remember(address) {
    this.attempts.remember(clientKey(address));
  }

  /**
   * Starts a session.
   * @param {string} password @param {string} address of the client
   * @returns {Promise<string>} the value of the session's cookie
   * @throws {PitvError} see checkPassword()
   */
  async login(password, address) {
    const cookie = this.sessions.start(await this.checkPassword(password, address));
    this.log.info({ address }, 'the admin logged in');
    return cookie;
  }

  /**
   * Sets a new password. Ends all sessions and starts a new one.
   * @param {unknown} password @param {string} address of the client
   * @returns {Promise<string>} the value of the new session's cookie
   * @throws {PitvError} PITV_PASSWORD_INVALID, PITV_PASSWORD_NOT_KEPT, PITV_LOGIN_BUSY
   */
  async setPassword(password, address) {
    const record = await this.queue.run(() => this.password.set(password), true);
    this.sessions.endAll();
    this.log.info({ address }, 'the admin password was changed');
    return this.sessions.start(record);
  }
}

/** @param {boolean} ofAll whether the limit of all addresses is reached @param {number} retryAfterS */
function lockedError(ofAll, retryAfterS) {
  const origin = ofAll ? 'from all addresses' : 'from this address';
  const sentence = `Too many wrong passwords ${origin}. Try again in ${retryAfterS} s, or use the admin token.`;
  return new PitvError('PITV_LOGIN_LOCKED', sentence, { details: { retryAfterS } });
}

/**
 * Loads the admin's token, password and sessions, and imports the password file.
 * @param {import('../storage/store.js').Store} store
 * @param {AccessOptions} options
 */
export async function openAdminAccess(store, options) {
  const { writable, log, hash, passwordFile } = options;
  const token = await loadAdminToken(store, writable);
  const password = new PasswordFile(store, { hash });
  const sessions = await AdminSessions.open(store, { log });
  if (passwordFile) {
    try {
      if (await password.importFrom(passwordFile)) {
        log.info({ file: passwordFile }, 'the admin password was imported');
      }
    } catch (error) {
      // The TV starts anyway, so that a typing error on the card can be corrected.
      log.error({ error: messageOf(error) }, 'the admin password was not imported');
    }
  }
  return new AdminAccess(token, password, sessions, options);
}
