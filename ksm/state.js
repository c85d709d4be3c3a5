/**
 * What outlives a controller that is killed: the settings it found, and those it wrote. One file in a
 * folder that does not survive a boot, as the settings don't either; and a lock, so that there is only
 * one controller. The kernel drops the lock with the process that holds it.
 */
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { KsmError, codeOf } from './errors.js';
import { errnoName, native } from './native.js';
import { readSettings, writeSettings } from './sysfs.js';

/** @typedef {import('./sysfs.js').Settings} Settings */

export const STATE_DIR = '/run/pitv-ksm';
const VERSION = 1;
/** How many of its own last values of a setting are recognised: a write may have been under way. */
const OWN_VALUES = 2;

/**
 * @typedef {object} SavedState
 * @property {number} version @property {string} boot @property {number} pid
 * @property {Settings} found what was set before
 * @property {Record<string, string[]>} applied what was written, the newest last
 */

/** @returns {string} another one after each boot */
function bootId() {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim();
  } catch {
    return '';
  }
}

/** @param {string} file @returns {SavedState | undefined} */
function load(file) {
  try {
    const state = JSON.parse(readFileSync(file, 'utf8'));
    return state?.version === VERSION && state.found && state.applied ? state : undefined;
  } catch {
    return undefined; // none, or no file of ours: there is nothing that could be put back
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
      mkdirSync(dir, { recursive: true, mode: 0o755 });
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

  /** Settings found before the first write, undefined before save(). */
  get found() {
    return this.#state?.found;
  }

  /** Has anything been written since begin() or the last restore()? */
  get touched() {
    return Object.keys(this.#state?.applied ?? {}).length > 0;
  }

  /**
   * Puts back what a controller that was killed left behind: the settings that still are as it wrote
   * them. What somebody else has changed since stays.
   * @returns {{restored: Settings, left: string[]} | undefined} undefined: nothing was left behind
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

  /** Remembers the settings as they are now as those to come back to. */
  begin() {
    const found = readSettings(this.#sysfs);
    this.#state = { version: VERSION, boot: bootId(), pid: process.pid, found, applied: {} };
    return found;
  }

  /**
   * Writes settings, and before that what is needed to undo it.
   * @param {Settings} settings
   * @returns {Settings} what was written
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
    return writeSettings(settings, this.#sysfs);
  }

  /**
   * @returns {{name: string, expected: string, present: string}[]} settings that somebody else has
   *   changed since they were applied
   */
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
   * Brings back the settings found, where they still are as this package wrote them.
   * @returns {{restored: Settings, left: string[]}} left: changed by somebody else, not touched
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
    state.applied = {};
    rmSync(this.#file, { force: true });
    return { restored, left };
  }

  /** What was written is to stay: nothing is put back any more. */
  forget() {
    this.#begun().applied = {};
    rmSync(this.#file, { force: true });
  }

  /** Gives the lock back. The settings stay as they are: restore() first, or leave them on purpose. */
  close() {
    if (this.#descriptor < 0) return;
    closeSync(this.#descriptor);
    this.#descriptor = -1;
  }

  #begun() {
    if (!this.#state) throw new Error('begin() has not been called.');
    return this.#state;
  }

  /** Whole or not at all: a power cut or a kill must not leave half a file. */
  #save() {
    const temporary = `${this.#file}.new`;
    const descriptor = openSync(temporary, 'w', 0o644);
    try {
      writeSync(descriptor, JSON.stringify(this.#state));
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    renameSync(temporary, this.#file);
  }
}
