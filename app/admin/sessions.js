/**
 * Who is logged in. A session is a cookie with a random number, its end, and a MAC over both; the key
 * is made of a secret that only the data directory has and of the password's hash, so that a new
 * password ends every session, whoever set it. The numbers are listed as well: logging out takes one off.
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
const FORM = /^([A-Za-z0-9_-]{22})\.(\d{13})\.([A-Za-z0-9_-]{43})$/;

/** @typedef {import('./password.js').PasswordRecord} PasswordRecord */

/** @param {any} pair @returns {boolean} whether it is the number of a session and its end */
const isSession = (pair) =>
  isList(pair, 2, () => true) && /^[A-Za-z0-9_-]{22}$/.test(pair[0]) && isWhole(pair[1], 0);

/** @type {{maxBytes: number, parse: (bytes: Buffer) => {secret: Buffer, ends: Map<string, number>}}} */
const FORMAT = {
  maxBytes: LIMITS.savedStateBytes.value,
  parse(bytes) {
    const kept = parseJson(bytes);
    if (!isObject(kept)) throw unusable('it holds no sessions');
    const { secret, sessions } = kept;
    const key = isText(secret, 64) ? Buffer.from(secret, 'base64') : Buffer.alloc(0);
    if (key.length !== SECRET_BYTES) throw unusable(`its secret is not of ${SECRET_BYTES} bytes`);
    if (!isList(sessions, LIMITS.adminSessions.value, isSession))
      throw unusable('its list of sessions is wrong');
    return { secret: key, ends: new Map(sessions) };
  },
};

export class AdminSessions {
  #store;
  #log;
  /** @type {Buffer} */
  #secret;
  /** @type {Map<string, number>} number -> its end, ms since 1970; in the order of logging in */
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
   * @param {import('../storage/store.js').Store} store
   * @param {{log: import('pino').BaseLogger, clock?: () => number}} options clock in ms since 1970
   */
  static async open(store, { log, clock }) {
    const kept = await store.load(SESSIONS_FILE, FORMAT);
    const { secret, ends } = kept ?? { secret: randomBytes(SECRET_BYTES), ends: new Map() };
    return new AdminSessions(store, { secret, ends, log, clock });
  }

  /** Differs between two TVs of one machine: browsers keep cookies by host, whatever the port. */
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

  /** @param {PasswordRecord} record @returns {string} what the cookie holds */
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
   * @param {string} cookie @param {PasswordRecord} record
   * @returns {string | undefined} the session's number, when it is a valid one
   */
  check(cookie, record) {
    const [, id, end, mac] = FORM.exec(cookie) ?? [];
    if (!id) return undefined;
    const given = Buffer.from(mac, 'base64url');
    const expected = this.#mac(`${id}.${end}`, record);
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
    const listed = this.#ends.get(id);
    return listed === Number(end) && listed > this.clock() ? id : undefined;
  }

  /** @param {string} id */
  end(id) {
    if (this.#ends.delete(id)) this.#save();
  }

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
        this.#log.warn({ error: messageOf(error) }, 'who is logged in cannot be kept');
      });
  }

  /** @returns {Promise<unknown>} resolves when all of it is on the disk */
  saved() {
    return this.#writing;
  }
}
