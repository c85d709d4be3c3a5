/**
 * Kernel Same-page Merging for the TV's workers (see docs/ksm.md): what of it this machine and this
 * engine can do, how workers are then launched, and what it brings, for /metrics. The main process
 * talks to the world and is never marked. ksmd is driven by somebody else: `pitv ksm auto`.
 */
import { PitvError } from '../errors.js';
import { probeFeatures } from '../../ksm/features.js';
import { SETTLE_EVENT, mergeableSpawnOptions } from '../../ksm/layout.js';
import { ksmFigures } from '../../ksm/processes.js';
import { balance, findKsmd, ksmdCpuMs, readCounters, readSettings } from '../../ksm/sysfs.js';

/** Five seconds of a game: long enough for V8 to compile what runs at each tick. */
const REHEARSAL_TICKS = 300;

/** @typedef {import('../../ksm/layout.js').Level} Level */

/**
 * @param {{engine: string, ksm: Level | 'auto'}} settings
 * @param {Pick<import('pino').Logger, 'info' | 'warn'>} log
 * @param {import('../../ksm/features.js').Features} [features] for tests
 * @returns {Level} what the workers get
 * @throws {PitvError} PITV_USAGE when a level is asked for that the engine has no use for
 */
export function ksmLevel({ engine, ksm }, log, features) {
  if (ksm === 'off') return 'off';
  // A zygote's children share what is equal in them without it, so that is not done unasked.
  if (engine !== 'process' && ksm === 'auto') return 'off';
  if (engine === 'thread') {
    throw new PitvError('PITV_USAGE', `--ksm ${ksm} needs --engine process or zygote, not thread.`);
  }
  const { madvise, prctl, personality, missing } = features ?? probeFeatures();
  if (!madvise && !prctl) {
    if (ksm !== 'auto') log.warn({ missing }, 'this machine has no KSM: the workers go without');
    return 'off';
  }
  if (ksm === 'identical' && !personality) {
    log.warn({ missing }, 'address randomisation can not be switched off here: level seeds');
    return 'seeds';
  }
  return ksm === 'auto' ? 'seeds' : ksm;
}

/**
 * @param {Level} level
 * @returns {Pick<import('./index.js').EngineOptions, 'spawn' | 'rehearsal'>} for createEngine()
 */
export function ksmEngineOptions(level) {
  if (level === 'off') return {};
  const layout = mergeableSpawnOptions({ level });
  return {
    spawn: ({ execArgv, env, around }) => ({
      execArgv: [...layout.execArgv, ...execArgv],
      env: { ...env, ...layout.env },
      around: (spawn) => around(() => layout.around(spawn)),
    }),
    rehearsal:
      level === 'mark'
        ? undefined
        : { ticks: REHEARSAL_TICKS, options: { seed: 1, match: 0 }, event: SETTLE_EVENT },
  };
}

/** @type {number | undefined} */
let ksmd;

/**
 * @param {Level} level
 * @param {number[]} pids of the workers
 * @returns {import('../server/ksm-gauges.js').KsmSample | undefined} undefined: no KSM here
 */
export function ksmSample(level, pids) {
  if (level === 'off') return undefined;
  try {
    const worth = balance(readCounters());
    ksmd ??= findKsmd();
    return {
      level,
      scanning: readSettings().run === '1',
      savedBytes: worth.savedBytes,
      metadataBytes: worth.metadataBytes,
      profitBytes: worth.profitBytes,
      ksmdCpuMs: ksmd === undefined ? undefined : ksmdCpuMs(ksmd),
      workers: pids.map((pid) => {
        const { mergingPages, profitBytes } = ksmFigures(pid);
        return { pid, mergingPages, profitBytes };
      }),
    };
  } catch {
    return undefined; // the files have gone, or a worker has just ended
  }
}
