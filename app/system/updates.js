/**
 * Updates of the card, from the admin page. The TV stores the bundle and writes a request. A service of the system,
 * which may do more, checks and installs it (`pitv update --requested`), and reports in a directory of its own.
 */
import { randomUUID } from 'node:crypto';
import { appendFile, readFile, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { PitvError } from '../errors.js';
import { LIMITS } from '../limits/table.js';
import { makeDirectory } from '../storage/store.js';
import { diskOf } from './problems.js';

/** Where the TV stores a bundle, in its data directory. */
export const UPLOAD = 'update/bundle.raucb';
/** Files of the system's reports. */
export const SYSTEMS = 'systems.json';
export const PROGRESS = 'progress.json';
/** Name of the request in --runtime-dir. */
const REQUEST = 'update';
/** What an update leaves free while it is stored, for matches. */
const FREE_BYTES = 32 << 20;
const MIB = 2 ** 20;
const MAX_REPORT_BYTES = 64 * 1024;
/** A service that has not reported for so long does not run any more. */
const SILENT_MS = 15 * 60_000;
/** An upload that is not continued for so long is removed. */
const ABANDONED_MS = 10 * 60_000;
/** Reports after which the service works on, as sentences. @type {Readonly<Record<string, string>>} */
const BUSY = Object.freeze({
  looking: 'The TV is looking for an update. Wait for it.',
  downloading: 'An update is being downloaded. Wait for it.',
  installing: 'Another update is being installed. Wait for it.',
  restarting: 'Another update is installed, and the machine restarts.',
});

/**
 * @typedef {object} Progress
 * @property {'looking' | 'downloading' | 'installing' | 'restarting' | 'current' | 'failed'} phase current: there is no
 *   newer version
 * @property {number} at ms since 1970
 * @property {number} [percent]
 * @property {string} [version] that is installed
 * @property {string} [problem] a sentence, after `failed`
 *
 * @typedef {object} UpdateState
 * @property {import('./rauc.js').InstalledSystem[]} systems
 * @property {boolean} canLook whether an address is configured where updates are
 * @property {boolean} busy
 * @property {Progress | null} progress the last report
 */

export class Updates {
  #parts;
  #isActive = false;
  /** Identifies the upload that is being stored. A new one replaces it. */
  #upload = '';
  /** @type {NodeJS.Timeout | undefined} */
  #abandoned;

  /**
   * @param {object} parts
   * @param {Pick<import('../config/settings.js').Settings, 'dataDir' | 'updateDir' | 'updateUrl'>} parts.settings
   * @param {import('./runtime-dir.js').RuntimeDir} parts.runtimeDir @param {import('pino').Logger} parts.log
   * @param {() => number} [parts.clock] ms since 1970
   */
  constructor(parts) {
    this.#parts = parts;
    this.clock = parts.clock ?? (() => Date.now());
    this.file = join(parts.settings.dataDir, UPLOAD);
  }

  /** Removes an upload that was not installed. */
  async open() {
    if (this.#parts.settings.updateDir === '') return;
    await rm(dirname(this.file), { recursive: true, force: true });
  }

  /** Reads the state. @returns {Promise<UpdateState | null>} null: this machine cannot install updates */
  async state() {
    const { settings, runtimeDir } = this.#parts;
    const { updateDir, updateUrl } = settings;
    if (updateDir === '') return null;
    const [systems, progress, isRequested] = await Promise.all([
      readReport(join(updateDir, SYSTEMS)),
      readReport(join(updateDir, PROGRESS)),
      runtimeDir.isRequested(REQUEST),
    ]);
    const isWorking =
      Object.hasOwn(BUSY, progress?.phase ?? '') && this.clock() - Number(progress?.at) < SILENT_MS;
    return {
      systems: Array.isArray(systems) ? systems : [],
      canLook: updateUrl !== '',
      busy: isWorking || isRequested,
      progress: progress ?? null,
    };
  }

  /**
   * Stores a part of a bundle. After the last one it requests the installation. Parts come one after the other, so that
   * no request takes long.
   * @param {Uint8Array} part
   * @param {object} where @param {number} where.offset of the part, bytes; 0 begins a new upload
   * @param {number} where.size of the bundle, bytes
   * @param {string} [where.upload] which one: what the first part's call returned
   * @returns {Promise<string>} identifies the upload
   * @throws {PitvError} PITV_UPDATE_UNSUPPORTED, PITV_UPDATE_BUSY, PITV_UPDATE_FILE
   */
  async write(part, { offset, size, upload }) {
    await this.#alone(async () => {
      const folder = dirname(this.file);
      const path = `${this.file}.part`;
      clearTimeout(this.#abandoned);
      if (offset === 0) {
        await this.open();
        await makeDirectory(folder);
        this.#upload = randomUUID();
      } else if (upload !== this.#upload) {
        throw refused('Another upload has begun. Upload the file again.');
      }
      const end = offset + part.length;
      const received = (await stat(path).catch(() => undefined))?.size ?? 0;
      if (offset !== received || end > size)
        throw refused('A part of the file is missing. Upload it again.');
      const room = Math.min(LIMITS.bundleBytes.value, offset + (await roomForUpdate(folder)));
      if (size > room) {
        await this.open();
        throw refused(
          `An update may have at most ${Math.floor(Math.max(0, room) / MIB)} MiB here.`,
        );
      }
      await appendFile(path, part, { mode: 0o600 });
      if (end === size) {
        await rename(path, this.file);
        await this.#request('upload');
      } else this.#abandoned = setTimeout(() => this.open().catch(() => {}), ABANDONED_MS).unref();
    });
    return this.#upload;
  }

  /** Requests to look for an update and to install it. @throws {PitvError} PITV_UPDATE_UNSUPPORTED, PITV_UPDATE_BUSY */
  async look() {
    await this.#alone(async ({ canLook }) => {
      const sentence = 'No address of updates is set. Set update-url in pitv.txt.';
      if (!canLook) throw new PitvError('PITV_UPDATE_UNSUPPORTED', sentence);
      await this.#request('look');
    });
  }

  /** Requests that the failed update is started again. @throws {PitvError} PITV_UPDATE_UNSUPPORTED, PITV_UPDATE_BUSY */
  async again() {
    await this.#alone(() => this.#request('again'));
  }

  /** Runs an action, unless an update is stored or installed. @param {(state: UpdateState) => Promise<void>} action */
  async #alone(action) {
    const state = await this.state();
    if (!state) throw unsupported();
    if (state.busy) throw busy(BUSY[String(state.progress?.phase)]); // without a report, the service is starting
    if (this.#isActive) throw busy('Another update is being uploaded. Wait for it.');
    this.#isActive = true;
    try {
      await action(state);
    } finally {
      this.#isActive = false;
    }
  }

  /** @param {'upload' | 'look' | 'again'} kind */
  async #request(kind) {
    await this.#parts.runtimeDir.request(REQUEST, kind);
    this.#parts.log.warn({ kind }, 'an update was requested by the admin');
  }

  close() {
    clearTimeout(this.#abandoned);
  }
}

/** @param {string} sentence why an upload is refused */
const refused = (sentence) => new PitvError('PITV_UPDATE_FILE', sentence);

/** Creates the error of a machine with one system. @param {unknown} [cause] */
export const unsupported = (cause) =>
  new PitvError(
    'PITV_UPDATE_UNSUPPORTED',
    'This machine is not a card with two systems, so it cannot install updates. Flash a new card.',
    { cause },
  );

/** Creates the error of a second update. @param {string} [sentence] what goes on */
export const busy = (sentence = BUSY.installing) => new PitvError('PITV_UPDATE_BUSY', sentence);

/** Returns how many bytes of an update fit into a folder. @param {string} folder */
export const roomForUpdate = async (folder) =>
  ((await diskOf(folder))?.freeBytes ?? 0) - FREE_BYTES;

/** @param {string} path @returns {Promise<any>} undefined if there is none that can be read */
async function readReport(path) {
  try {
    const text = await readFile(path, 'utf8');
    return text.length > MAX_REPORT_BYTES ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
