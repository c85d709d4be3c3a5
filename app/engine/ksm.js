/**
 * Applies Kernel Same-page Merging to the TV's workers (see docs/ksm.md): chooses a level that the machine and the
 * engine support, adds it to the launch options, and reads the results for /metrics. The main process handles network
 * input and is never marked as mergeable. `pitv ksm auto` controls ksmd.
 */
import { PitvError } from '../errors.js';
import { probeFeatures } from '../../ksm/features.js';
import { SETTLE_EVENT, mergeableSpawnOptions } from '../../ksm/layout.js';
import { ksmFigures } from '../../ksm/processes.js';
import { balance, findKsmd, ksmdCpuMs, readCounters, readSettings } from '../../ksm/sysfs.js';

/** Five seconds of a game: long enough for V8 to compile the code that runs at each tick. */
const REHEARSAL_TICKS = 300;

/** @typedef {import('../../ksm/layout.js').Level} Level */

/**
 * Chooses the level for the workers. Logs a warning if it is lower than the requested level.
 * @param {{engine: string, ksm: Level | 'auto'}} settings
 * @param {Pick<import('pino').Logger, 'info' | 'warn'>} log
 * @param {import('../../ksm/features.js').Features} [features] replaced in tests
 * @returns {Level}
 * @throws {PitvError} PITV_USAGE when a level is requested for the thread engine
 */
export function ksmLevel({ engine, ksm }, log, features) {
  if (ksm === 'off') return 'off';
  // A zygote's children already share equal pages, so `auto` leaves KSM off for them.
  if (engine !== 'process' && ksm === 'auto') return 'off';
  if (engine === 'thread') {
    throw new PitvError('PITV_USAGE', `--ksm ${ksm} needs --engine process or zygote, not thread.`);
  }
  const { madvise, prctl, personality, missing } = features ?? probeFeatures();
  if (!madvise && !prctl) {
    if (ksm !== 'auto') log.warn({ missing }, 'this machine has no KSM: workers run without it');
    return 'off';
  }
  if (ksm === 'identical' && !personality) {
    log.warn(
      { missing },
      'address space layout randomization cannot be disabled on this machine: using level seeds',
    );
    return 'seeds';
  }
  return ksm === 'auto' ? 'seeds' : ksm;
}

/**
 * Returns the options of createEngine() for a level.
 * @param {Level} level
 * @returns {Pick<import('./index.js').EngineOptions, 'spawn' | 'rehearsal'>}
 */
export function ksmEngineOptions(level) {
  if (level === 'off') return {};
  const layout = mergeableSpawnOptions({ level });
  return {
    spawn(options, locked) {
      if (locked) return options; // code of strangers could find out what pages of others contain
      const { execArgv, env, around } = options;
      return {
        execArgv: [...layout.execArgv, ...execArgv],
        env: { ...env, ...layout.env },
        around: (spawn) => around(() => layout.around(spawn)),
      };
    },
    rehearsal:
      level === 'mark'
        ? undefined
        : { ticks: REHEARSAL_TICKS, options: { seed: 1, match: 0 }, event: SETTLE_EVENT },
  };
}

/** Process id of ksmd. @type {number | undefined} */
let ksmd;

/**
 * @typedef {object} KsmSample
 * @property {string} level at which the workers were launched
 * @property {boolean} scanning
 * @property {number} savedBytes of the whole machine, like the next two
 * @property {number} metadataBytes
 * @property {number} profitBytes
 * @property {number | undefined} ksmdCpuMs
 * @property {{pid: number, mergingPages: number | undefined, profitBytes: number | undefined}[]} workers
 */

/**
 * Reads the kernel's and the workers' KSM counters.
 * @param {Level} level
 * @param {number[]} pids of the workers
 * @returns {KsmSample | undefined} undefined when KSM is off or a file cannot be read
 */
export function ksmSample(level, pids) {
  if (level === 'off') return undefined;
  try {
    const totals = balance(readCounters());
    ksmd ??= findKsmd();
    return {
      level,
      scanning: readSettings().run === '1',
      savedBytes: totals.savedBytes,
      metadataBytes: totals.metadataBytes,
      profitBytes: totals.profitBytes,
      ksmdCpuMs: ksmd === undefined ? undefined : ksmdCpuMs(ksmd),
      workers: pids.map((pid) => {
        const { mergingPages, profitBytes } = ksmFigures(pid);
        return { pid, mergingPages, profitBytes };
      }),
    };
  } catch {
    return undefined; // for example, a worker has just ended
  }
}
