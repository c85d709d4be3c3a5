/**
 * The admin's sessions. A session's cookie holds a random id, the time at which the session ends, and a MAC of both.
 * The key of the MAC is derived from a secret in the data directory and from the password's hash, so a new password
 * ends all sessions. The ids of the current sessions are saved, too, so that a logout ends a session.
 */
import { createHmac, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { messageOf } from '../errors.js';
import { LIMITS } from '../limits/table.js';
import { isList, isObject, isText, isWhole } from '../storage/checks.js';
import { parseJson, unusable } from '../storage/saved-files.js';

export const SESSIONS_FILE = 'admin-sessions';
const SECRET_BYTES = 32;
const ID_BYTES = 16;
export const SESSION_MS = 7 * 24 * 3600 * 1000;
const COOKIE_VALUE = /^([A-Za-z0-9_-]{22})\.(\d{13})\.([A-Za-z0-9_-]{43})$/;

/** @typedef {import('./password.js').PasswordRecord} PasswordRecord */

/** @param {any} pair @returns {boolean} whether it is a session's id and its end */
const isSession = (pair) =>
  isList(pair, 2, () => true) && /^[A-Za-z0-9_-]{22}$/.test(pair[0]) && isWhole(pair[1], 0);

/**
 * @param {Buffer} bytes
 * @returns {{secret: Buffer, ends: Map<string, number>}}
 * @throws {import('../errors.js').PitvError} PITV_SAVED_INVALID
 */
function parse(bytes) {
  const saved = parseJson(bytes);
  if (!isObject(saved)) throw unusable('it holds no sessions');
  const { secret, sessions } = saved;
  const key = isText(secret, 64) ? Buffer.from(secret, 'base64') : Buffer.alloc(0);
  if (key.length !== SECRET_BYTES) throw unusable(`its secret does not have ${SECRET_BYTES} bytes`);
  if (!isList(sessions, LIMITS.adminSessions.value, isSession))
    throw unusable('its list of sessions is wrong');
  return { secret: key, ends: new Map(sessions) };
}

export class AdminSessions {
  #store;
  #log;
  /** @type {Buffer} */
  #secret;
  /** @type {Map<string, number>} id -> end, ms since 1970; in the order of logins */
  #ends;
  /** @type {Promise<unknown>} */
  #writing = Promise.resolve();

  /**
   * @param {import('../storage/store.js').Store} store
   * @param {{secret: Buffer, ends: Map<string, number>, log: import('pino').BaseLogger, clock?: () => number}} options
   */
  constructor(store, { secret, ends, log, clock = Date.now }) {
    this.#store = store;
    this.#secret = secret;
    this.#ends = ends;
    this.#log = log;
    this.clock = clock;
  }

  /**
   * Loads the saved sessions, or makes a new secret.
   * @param {import('../storage/store.js').Store} store
   * @param {{log: import('pino').BaseLogger, clock?: () => number}} options clock in ms since 1970
   */
  static async open(store, { log, clock }) {
    const saved = await store.load(SESSIONS_FILE, { parse });
    const { secret, ends } = saved ?? { secret: randomBytes(SECRET_BYTES), ends: new Map() };
    return new AdminSessions(store, { secret, ends, log, clock });
  }

  /** The name of the cookie. It differs between TVs on one machine, because browsers ignore the port of a cookie. */
  get cookieName() {
    return `pitv_${createHmac('sha256', this.#secret).update('name').digest('hex').slice(0, 8)}`;
  }
  get count() {
    return this.#ends.size;
  }

  /** @param {string} text @param {PasswordRecord} record */
  #mac(text, record) {
    const key = hkdfSync('sha256', this.#secret, record.salt, `pitv session ${record.hash}`, 32);
    return createHmac('sha256', Buffer.from(key)).update(text).digest();
  }

  /**
   * Starts a session. Ends the oldest one if there are too many.
   * @param {PasswordRecord} record of the current password
   * @returns {string} value of the cookie
   */
  start(record) {
    const now = this.clock();
    for (const [id, end] of this.#ends) if (end <= now) this.#ends.delete(id);
    for (const [id] of this.#ends) {
      if (this.#ends.size >= LIMITS.adminSessions.value) this.#ends.delete(id);
    }
    const id = randomBytes(ID_BYTES).toString('base64url');
    const end = now + SESSION_MS;
    this.#ends.set(id, end);
    this.#save();
    const text = `${id}.${end}`;
    return `${text}.${this.#mac(text, record).toString('base64url')}`;
  }

  /**
   * Checks a cookie.
   * @param {string} cookie its value @param {PasswordRecord} record of the current password
   * @returns {string | undefined} the session's id; undefined if the cookie is not valid
   */
  check(cookie, record) {
    const [, id, end, mac] = COOKIE_VALUE.exec(cookie) ?? [];
    if (!id) return undefined;
    const given = Buffer.from(mac, 'base64url');
    const expected = this.#mac(`${id}.${end}`, record);
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
    const listed = this.#ends.get(id);
    return listed === Number(end) && listed > this.clock() ? id : undefined;
  }

  /** Ends a session. @param {string} id */
  end(id) {
    if (this.#ends.delete(id)) this.#save();
  }

  /** Ends all sessions. */
  endAll() {
    this.#ends.clear();
    this.#save();
  }

  #save() {
    this.#writing = this.#writing
      .then(() =>
        this.#store.write(
          SESSIONS_FILE,
          JSON.stringify({ secret: this.#secret.toString('base64'), sessions: [...this.#ends] }),
        ),
      )
      .catch((error) => {
        this.#log.warn({ error: messageOf(error) }, 'the admin sessions cannot be saved');
      });
  }

  /** Waits until all changes are written to the disk. @returns {Promise<unknown>} */
  saved() {
    return this.#writing;
  }
}
