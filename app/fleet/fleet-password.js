/**
 * The admin password, which is one for all nodes of a fleet. Each node keeps it in its own data directory, so that its
 * admin can log in while it is cut off. The newest change wins; a node that joins takes that of the fleet.
 */
import { isDeepStrictEqual } from 'node:util';
import { messageOf } from '../errors.js';
import { isPasswordRecord } from '../admin/password.js';

const KEY = 'admin-password';
/** Time between two looks at the file, which `pitv passwd` changes, too. */
const LOOK_MS = 1000;

/** Tells whether a value is a setting of a fleet. @param {string} key @param {unknown} value */
export const isSetting = (key, value) => key === KEY && isPasswordRecord(value);

export class FleetPassword {
  #file;
  #shared;
  #log;
  /** @type {NodeJS.Timeout | undefined} */
  #timer;
  #closed = false;

  /**
   * @param {object} parts
   * @param {import('../admin/password-file.js').PasswordFile} parts.file
   * @param {import('./shared-map.js').SharedMap} parts.shared
   * @param {import('pino').Logger} parts.log
   */
  constructor({ file, shared, log }) {
    this.#file = file;
    this.#shared = shared;
    this.#log = log;
  }

  /** Begins to keep the password the same as that of the other nodes. */
  async open() {
    this.#shared.on('change', (_key, _value, isOwn) => {
      if (!isOwn) void this.#take();
    });
    const { isNew, wasShared } = await this.#file.unshared();
    if (isNew && (wasShared || this.#shared.get(KEY) === undefined)) await this.#give();
    else await this.#take();
    await this.#watch();
  }

  async #watch() {
    const { isNew } = await this.#file.unshared();
    if (isNew) await this.#give();
    if (!this.#closed) this.#timer = setTimeout(() => void this.#watch(), LOOK_MS).unref();
  }

  /** Tells the other nodes the password of this one. */
  async #give() {
    const record = await this.#file.current();
    if (!record) return;
    if (!isDeepStrictEqual(this.#shared.get(KEY), record)) this.#shared.set(KEY, record);
    await this.#try(() => this.#file.markShared(record));
  }

  /** Takes over the password of the fleet. */
  async #take() {
    const record = this.#shared.get(KEY);
    if (record) await this.#try(() => this.#file.adopt(record));
  }

  /** @param {() => Promise<unknown>} write */
  async #try(write) {
    try {
      await write();
    } catch (error) {
      this.#log.warn(
        { error: messageOf(error) },
        'the admin password of the fleet was not saved here',
      );
    }
  }

  close() {
    this.#closed = true;
    clearTimeout(this.#timer);
  }
}
