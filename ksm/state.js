/**
 * The lock and the saved state of a controller. The state file has the original settings and those that the controller
 * wrote, so that the next controller can restore them after a crash. Its folder does not survive a reboot, and neither
 * do the settings. The lock allows one controller at a time; the kernel releases it when the process ends.
 */
import {
  closeSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { KsmError, codeOf } from './errors.js';
import { readText } from './proc.js';
import { errnoName, native } from './native.js';
import { readSettings, writeSettings } from './sysfs.js';

/** @typedef {import('./sysfs.js').Settings} Settings */

export const STATE_DIR = '/run/pitv-ksm';
const VERSION = 1;
/** How many of the last values of a setting are recognised as own: a crash may have interrupted a write. */
const OWN_VALUES = 2;

/**
 * @typedef {object} SavedState
 * @property {number} version @property {string} boot @property {number} pid
 * @property {Settings} found the original settings
 * @property {Record<string, string[]>} applied the written values of each setting, the newest last
 */

/** Returns an id that changes with each boot; '' if it is unknown. */
const bootId = () => readText('/proc/sys/kernel/random/boot_id')?.trim() ?? '';

/** @param {string} file @returns {SavedState | undefined} */
function load(file) {
  try {
    const state = JSON.parse(readText(file) ?? '');
    return state?.version === VERSION && state.found && state.applied ? state : undefined;
  } catch {
    return undefined; // missing or damaged: there is nothing to restore
  }
}

/** Makes a folder and its parents. mkdirSync() with `recursive` never returns in /proc. @param {string} dir */
function makeFolder(dir) {
  if (statSync(dir, { throwIfNoEntry: false })?.isDirectory()) return;
  if (dirname(dir) !== dir) makeFolder(dirname(dir));
  try {
    mkdirSync(dir, { mode: 0o755 });
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  }
}

/** Holds the lock and the state file from open() to close(). */
export class ControllerState {
  #file;
  #descriptor;
  #sysfs;
  /** @type {SavedState | undefined} */
  #state;

  /** @param {string} dir @param {string} sysfs @param {number} descriptor of the lock file */
  constructor(dir, sysfs, descriptor) {
    this.#file = join(dir, 'state.json');
    this.#sysfs = sysfs;
    this.#descriptor = descriptor;
  }

  /**
   * Takes the lock.
   * @param {string} dir @param {string} sysfs
   * @throws {KsmError} KSM_LOCKED, KSM_PERMISSION, KSM_UNSUPPORTED
   */
  static open(dir, sysfs) {
    const addon = native();
    let descriptor;
    try {
      makeFolder(dir);
      descriptor = openSync(join(dir, 'lock'), 'a', 0o644);
    } catch (cause) {
      const message = `${dir} can't be written (${codeOf(cause)}): driving ksmd needs root.`;
      throw new KsmError('KSM_PERMISSION', message, { cause, missing: ['permission'] });
    }
    const result = addon.tryLock(descriptor);
    if (result < 0) {
      closeSync(descriptor);
      const message =
        errnoName(result) === 'EAGAIN'
          ? `Another controller drives ksmd: ${join(dir, 'lock')} is locked. Stop it first.`
          : `${join(dir, 'lock')} can't be locked: ${errnoName(result)}.`;
      throw new KsmError('KSM_LOCKED', message);
    }
    return new ControllerState(dir, sysfs, descriptor);
  }

  /** The original settings; undefined before begin(). */
  get found() {
    return this.#state?.found;
  }

  /** Whether a setting has been written since begin() or the last restore(). */
  get touched() {
    return Object.keys(this.#state?.applied ?? {}).length > 0;
  }

  /**
   * Restores the original settings if a controller was killed, except those that another program has changed since.
   * @returns {{restored: Settings, left: string[]} | undefined} as restore(); undefined: no state file of this boot
   */
  recover() {
    const state = load(this.#file);
    if (!state) return undefined;
    let outcome;
    if (state.boot === bootId()) {
      this.#state = state;
      outcome = this.restore();
    }
    this.#state = undefined;
    rmSync(this.#file, { force: true });
    return outcome;
  }

  /** Records the present settings as the original ones. @returns {Settings} */
  begin() {
    const found = readSettings(this.#sysfs);
    this.#state = { version: VERSION, boot: bootId(), pid: process.pid, found, applied: {} };
    return found;
  }

  /**
   * Saves the state, then writes the settings that differ.
   * @param {Settings} settings
   * @returns {Settings} the changed ones
   * @throws {KsmError} KSM_PERMISSION, KSM_SETTING
   */
  apply(settings) {
    const state = this.#begun();
    const present = readSettings(this.#sysfs);
    let differs = false;
    for (const [name, value] of Object.entries(settings)) {
      if (present[name] === undefined) continue; // this kernel has no such setting
      const own = (state.applied[name] ??= []);
      if (own.at(-1) === value) continue;
      differs = true;
      own.push(value);
      if (own.length > OWN_VALUES) own.shift();
    }
    if (differs) this.#save();
    try {
      return writeSettings(settings, this.#sysfs);
    } catch (error) {
      for (const { name } of this.foreignChanges()) {
        state.applied[name].pop(); // was not written
        if (state.applied[name].length === 0) delete state.applied[name];
      }
      throw error;
    }
  }

  /** Finds settings that another program has changed since they were applied. */
  foreignChanges() {
    const present = readSettings(this.#sysfs);
    const changes = [];
    for (const [name, own] of Object.entries(this.#begun().applied)) {
      const expected = own.at(-1) ?? '';
      if (present[name] !== expected) changes.push({ name, expected, present: present[name] });
    }
    return changes;
  }

  /**
   * Restores the original settings, except those that another program has changed.
   * @returns {{restored: Settings, left: string[]}} left: changed by another program, and so not restored
   */
  restore() {
    const state = this.#begun();
    const present = readSettings(this.#sysfs);
    /** @type {Settings} */
    const wanted = {};
    const left = [];
    for (const [name, own] of Object.entries(state.applied)) {
      if (own.includes(present[name])) wanted[name] = state.found[name];
      else if (present[name] !== state.found[name]) left.push(name);
    }
    const restored = writeSettings(wanted, this.#sysfs);
    this.forget();
    return { restored, left };
  }

  /** Keeps the written settings: they will not be restored. */
  forget() {
    this.#begun().applied = {};
    rmSync(this.#file, { force: true });
  }

  /** Releases the lock. Does not restore the settings. Idempotent. */
  close() {
    if (this.#descriptor < 0) return;
    closeSync(this.#descriptor);
    this.#descriptor = -1;
  }

  #begun() {
    if (!this.#state) throw new Error('begin() has not been called.');
    return this.#state;
  }

  /** Writes the state file atomically, so that a crash does not leave a partial file. */
  #save() {
    const temporary = `${this.#file}.new`;
    writeFileSync(temporary, JSON.stringify(this.#state), { mode: 0o644, flush: true });
    renameSync(temporary, this.#file);
  }
}
