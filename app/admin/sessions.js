/**
 * The admin's sessions. A session's cookie is a random token. The data directory has the hash of each one, its end, and
 * the salt of the password that began it: a restart ends no session, a logout ends one, and a new password ends all.
 */
import { randomBytes } from 'node:crypto';
import { messageOf } from '../errors.js';
import { LIMITS } from '../limits/table.js';
import { hashToken, newToken } from '../lobby/tokens.js';
import { anyText, integer, like, list, shape } from '../options.js';
import { SHA256 } from '../storage/checks.js';
import { parseFields } from '../storage/saved-files.js';

export const SESSIONS_FILE = 'admin-sessions.json';
const NAME_BYTES = 4;
const MAX_SALT = 256;
export const SESSION_MS = 7 * 24 * 3600 * 1000;

/**
 * @typedef {import('./password.js').PasswordRecord} PasswordRecord
 * @typedef {{hash: string, end: number, salt: string}} Session hash: of the cookie, hex; end: ms since 1970
 */

/**
 * Returns ms since 1970 by the clock at the start of the process. When a board without a battery learns the time from
 * the network, its clock may jump by years, which must not end a session.
 */
const steadyNow = () => Math.round(performance.timeOrigin + performance.now());

const SESSION = shape({ hash: SHA256, end: integer(0), salt: anyText(MAX_SALT) });
const FIELDS = {
  name: like('8 hexadecimal digits', /^[0-9a-f]{8}$/),
  sessions: list(SESSION, 0, LIMITS.adminSessions.value),
};
/** @param {Buffer} bytes @returns {{name: string, sessions: Session[]}} @throws PITV_SAVED_INVALID */
const parse = (bytes) => parseFields(bytes, undefined, FIELDS);

/** @param {string} cookie */
const hashOf = (cookie) => hashToken(cookie).toString('hex');

export class AdminSessions {
  #store;
  #log;
  #name;
  /** In the order of logins. @type {Session[]} */
  #sessions;
  #writing = Promise.resolve();

  /**
   * @param {import('../storage/store.js').Store} store @param {ReturnType<typeof parse>} saved
   * @param {{log: import('pino').BaseLogger, clock?: () => number}} options clock in ms since 1970
   */
  constructor(store, { name, sessions }, { log, clock = steadyNow }) {
    this.#store = store;
    this.#name = name;
    this.#sessions = sessions;
    this.#log = log;
    this.clock = clock;
  }

  /**
   * Loads the saved sessions.
   * @param {import('../storage/store.js').Store} store
   * @param {ConstructorParameters<typeof AdminSessions>[2]} options
   */
  static async open(store, options) {
    const saved = await store.load(SESSIONS_FILE, { parse });
    const none = { name: randomBytes(NAME_BYTES).toString('hex'), sessions: [] };
    return new AdminSessions(store, saved ?? none, options);
  }

  /** The name of the cookie. It differs between TVs on one machine, because browsers ignore the port of a cookie. */
  get cookieName() {
    return `pitv_${this.#name}`;
  }
  get count() {
    return this.#sessions.length;
  }

  /**
   * Starts a session. Ends the oldest one if there are too many.
   * @param {PasswordRecord} record of the current password @returns {string} value of the cookie
   */
  start({ salt }) {
    const now = this.clock();
    const cookie = newToken();
    const current = this.#sessions.filter(({ end }) => end > now);
    const session = { hash: hashOf(cookie), end: now + SESSION_MS, salt };
    this.#set([...current, session].slice(-LIMITS.adminSessions.value));
    return cookie;
  }

  /**
   * Checks a cookie.
   * @param {string} cookie its value @param {PasswordRecord} record of the current password
   * @returns {string | undefined} the hash of the session; undefined if the cookie is not valid
   */
  check(cookie, { salt }) {
    const hash = hashOf(cookie);
    const session = this.#sessions.find((each) => each.hash === hash);
    return session && session.salt === salt && session.end > this.clock() ? hash : undefined;
  }

  /** Ends a session. @param {string} hash of the session */
  end(hash) {
    this.#set(this.#sessions.filter((session) => session.hash !== hash));
  }

  /** Ends all sessions. */
  endAll() {
    this.#set([]);
  }

  /** @param {Session[]} sessions */
  #set(sessions) {
    this.#sessions = sessions;
    const text = JSON.stringify({ name: this.#name, sessions });
    const write = () => this.#store.write(SESSIONS_FILE, text);
    this.#writing = this.#writing.then(write).catch((error) => {
      this.#log.warn({ error: messageOf(error) }, 'the admin sessions cannot be saved');
    });
  }

  /** Waits until all changes are written to the disk. */
  saved() {
    return this.#writing;
  }
}
