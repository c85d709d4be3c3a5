/** The machine around the TV, for the admin page's System tab. */
import os from 'node:os';
import { PitvError } from '../errors.js';
import { identity, journal, memory, power, temperature, wifi } from './board.js';
import { PaperRun } from './paper.js';
import { diskOf } from './problems.js';
import { WISHES } from './runtime-dir.js';

/** Between two wishes to start anew or to switch off. */
const WISH_EVERY_MS = 30_000;

/**
 * @typedef {object} SystemParts
 * @property {import('../config/settings.js').Settings} settings
 * @property {import('pino').Logger} log
 * @property {string} version
 * @property {import('./status.js').Status} status
 * @property {import('../inspector/usage.js').Usage} usage
 * @property {import('./runtime-dir.js').RuntimeDir} runtimeDir
 * @property {{bytesWritten: number}} persistence bytes of checkpoints, since the start
 * @property {() => number} [clock] ms
 */

export class System {
  #lastWish = -Infinity;
  #parts;

  /** @param {SystemParts} parts */
  constructor(parts) {
    this.#parts = parts;
    this.clock = parts.clock ?? (() => performance.now());
    this.paper = new PaperRun({ dataDir: parts.settings.dataDir, log: parts.log });
  }

  /** Everything the tab shows but the journal. */
  async facts() {
    const { settings, version, status, usage, runtimeDir, persistence } = this.#parts;
    const [about, celsius, flags, wireless, ram, disk, sample, paper, grants] = await Promise.all([
      identity(),
      temperature(),
      power(),
      wifi(),
      memory(),
      diskOf(settings.dataDir),
      usage.sample(),
      this.paper.state(),
      runtimeDir.grants(),
    ]);
    const { urls, problems } = status;
    return {
      name: os.hostname(),
      ...about,
      versions: {
        pitv: version,
        node: process.versions.node,
        kernel: os.release(),
        arch: os.arch(),
      },
      uptimeS: Math.floor(os.uptime()),
      cpus: os.availableParallelism(),
      load: os.loadavg(),
      urls,
      problems,
      wifi: wireless,
      celsius,
      power: flags,
      memory: ram,
      disk,
      writtenBytes: persistence.bytesWritten,
      processes: processesOf(sample),
      ksm: sample.ksm && {
        level: sample.ksm.level,
        scanning: sample.ksm.scanning,
        savedBytes: sample.ksm.savedBytes,
      },
      paper,
      canSwitchOff: grants,
    };
  }

  /** @param {number} lines @throws {PitvError} PITV_JOURNAL_MISSING */
  async journal(lines) {
    const text = await journal(lines);
    if (text === undefined) {
      throw new PitvError('PITV_JOURNAL_MISSING', "This machine's journal cannot be read.");
    }
    return text;
  }

  /**
   * @param {string} what
   * @throws {PitvError} PITV_NOT_FOUND, PITV_SYSTEM_NOT_OURS, PITV_SYSTEM_BUSY
   */
  async wish(what) {
    const wish = WISHES.find((each) => each === what);
    if (!wish) throw new PitvError('PITV_NOT_FOUND', 'There is nothing here.');
    if (this.clock() - this.#lastWish < WISH_EVERY_MS) {
      throw new PitvError('PITV_SYSTEM_BUSY', 'It has been asked for already. Wait half a minute.');
    }
    await this.#parts.runtimeDir.wish(wish);
    this.#lastWish = this.clock();
    this.#parts.log.warn({ wish }, 'the admin asked for it');
  }

  close() {
    this.paper.stop();
  }
}

/** @param {import('../inspector/usage.js').Sample} sample */
function processesOf({ main, workers, ksm }) {
  return [
    { name: 'main', pid: process.pid, game: null, pssKib: main.pssKib, ksmPages: null },
    ...workers.map(({ name, pid, pssKib }) => ({
      name: 'worker',
      pid,
      game: name,
      pssKib,
      ksmPages: ksm?.workers.find((each) => each.pid === pid)?.mergingPages ?? null,
    })),
  ];
}
