/** The machine around the TV, for the admin page's System tab. */
import os from 'node:os';
import { PitvError } from '../errors.js';
import { visibleText } from '../errors/visible-text.js';
import { identity, journal, memory, power, temperature, wifi } from './board.js';
import { Recorder } from './history.js';
import { PaperRun } from './paper.js';
import { diskOf } from './problems.js';
import { POWER_ACTIONS } from './runtime-dir.js';
import { Updates } from './updates.js';
import { nodeSupport, packagesAge } from './upkeep.js';

/** Shortest time between two requests to reboot or to power off. */
const POWER_PAUSE_MS = 30_000;

/**
 * @typedef {object} SystemParts
 * @property {import('../config/settings.js').Settings} settings @property {import('pino').Logger} log
 * @property {string} version @property {import('./status.js').Status} status
 * @property {import('./usage.js').Usage} usage @property {import('../lobby/lobby.js').Lobby} lobby
 * @property {import('./runtime-dir.js').RuntimeDir} runtimeDir
 * @property {{bytesWritten: number}} persistence bytes of checkpoints since the start
 * @property {() => string[]} gameProblems sentences about games, for the admin only
 */

export class System {
  #lastPowerRequest = -Infinity;
  #parts;

  /** @param {SystemParts} parts */
  constructor(parts) {
    const { settings, log, usage, lobby, runtimeDir } = parts;
    this.#parts = parts;
    this.paper = new PaperRun({ dataDir: settings.dataDir, log });
    this.history = new Recorder({ usage, lobby });
    this.updates = new Updates({ settings, runtimeDir, log });
  }

  /** Reads what the tab shows, except the journal and the plots. */
  async facts() {
    const { settings, version, status, usage, runtimeDir, persistence, gameProblems } = this.#parts;
    const [about, celsius, flags, wireless, ram, disk, processes, paper, canSwitchOff, update] =
      await Promise.all([
        identity(),
        temperature(),
        power(),
        wifi(),
        memory(),
        diskOf(settings.dataDir),
        usage.processes(),
        this.paper.state(),
        runtimeDir.canRequest(),
        this.updates.state(),
      ]);
    const { urls, problems } = status;
    const ksm = usage.ksm();
    const { node } = process.versions;
    const isShared = Reflect.get(process.config.variables, 'node_shared') === true;
    return {
      name: os.hostname(),
      ...about,
      versions: { pitv: version, node, kernel: os.release(), arch: os.arch() },
      node: nodeSupport(node, { isShared, system: about.system }),
      packages: packagesAge(about.suites ?? []),
      uptimeS: Math.floor(os.uptime()),
      cpus: os.availableParallelism(),
      load: os.loadavg(),
      urls,
      problems: [...problems, ...gameProblems()],
      wifi: wireless,
      celsius,
      power: flags,
      memory: ram,
      disk,
      writtenBytes: persistence.bytesWritten,
      processes: processes.map(({ name, pid, game, command, memory: own }) => ({
        name,
        pid,
        game,
        command,
        unreclaimableKib: known(own.unreclaimableKib),
        pssKib: known(own.pssKib),
        ksmPages: ksm?.workers.find((each) => each.pid === pid)?.mergingPages ?? null,
      })),
      ksm: ksm && { level: ksm.level, scanning: ksm.scanning, savedBytes: ksm.savedBytes },
      paper,
      canSwitchOff,
      update,
    };
  }

  /** @param {number} lines @throws {PitvError} PITV_JOURNAL_MISSING */
  async journal(lines) {
    const text = await journal(lines);
    if (text === undefined) {
      throw new PitvError('PITV_JOURNAL_MISSING', "This machine's journal cannot be read.");
    }
    return visibleText(text);
  }

  /**
   * Asks the machine to reboot or to power off.
   * @param {string} name one of POWER_ACTIONS
   * @throws {PitvError} PITV_NOT_FOUND, PITV_SYSTEM_NOT_OURS, PITV_SYSTEM_BUSY
   */
  async requestPower(name) {
    const action = POWER_ACTIONS.find((each) => each === name);
    if (!action) throw new PitvError('PITV_NOT_FOUND', 'There is nothing here.');
    if (performance.now() - this.#lastPowerRequest < POWER_PAUSE_MS) {
      const sentence = 'A reboot or a power-off was requested less than half a minute ago. Wait.';
      throw new PitvError('PITV_SYSTEM_BUSY', sentence);
    }
    await this.#parts.runtimeDir.request(action);
    this.#lastPowerRequest = performance.now();
    this.#parts.log.warn({ wish: action }, 'requested by the admin');
  }

  close() {
    this.paper.stop();
    this.updates.close();
  }
}

/** @param {number} kib @returns {number | null} null: not known */
const known = (kib) => (Number.isNaN(kib) ? null : kib);
