/**
 * Repeats figures 3 and 4 of the paper (bench/report/paper.js): the memory of the whole TV (web server, WebSockets, n
 * games), summed over all of its processes, for each engine, and for processes with KSM. It is sampled after the same
 * number of ticks of every game.
 *
 * A level of KSM changes how workers are launched, and that alone saves memory (fewer threads, one malloc arena, freed
 * memory returned to the kernel). Therefore, each level has a control with the same launch and ksmd off. Only the
 * difference between the two is due to merging. The package's own controller drives ksmd, which needs root.
 *
 * The main metric is unreclaimable memory (see app/process/memory-account.js). PSS is the metric of the paper; it
 * includes clean pages of files, which the kernel can drop.
 *
 * `locked` plays the same game as one of others: it runs locked, and its code is not in the zygote.
 *
 * The TV runs from a copy of Node.js: the PSS of a page is divided by all processes that map it, and the processes of
 * the harness would take a share.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { PitvError } from '../../../app/errors.js';
import { memoryOfTree } from '../../../app/process/memory-account.js';
import { ENGINES } from '../../../app/engine/index.js';
import { missingForLock } from '../../../app/engine/lock.js';
import {
  KsmController,
  LEVELS,
  findKsmd,
  ksmdCpuMs,
  probeFeatures,
  readSettings,
} from '../../../ksm/index.js';
import { copyNode } from '../../harness/work-dir.js';
import { Client } from '../../harness/client.js';
import { startMatches, startTv, waitForTicks } from '../../harness/remote-tv.js';
import { findInRound } from '../../harness/scenarios.js';

const WORKERS = [1, 2, 4, 8];
const WORKERS_QUICK = [1, 4];
const BODIES = 1000;
const TICKS_PER_MS = 60 / 1000;
const MERGED = 'process + KSM';
const LOCKED = 'locked';
const OWN = 'collide';
/** The copy of OWN that is a game of others. */
const STRANGER = 'stranger';
const SOURCES = new URL('../../../app/', import.meta.url);
/** ksmd uses a whole core and makes a pass in a tenth of a second, until two passes merge little. */
const FAST = { tickMs: 100, policy: { burstCpu: 1, burstPassMs: 100 } };
const LOCK_TIMEOUT_MS = 60_000;
const POLL_MS = 20;
/** @param {string} level */
const controlOf = (level) => `process as ${level}, ksmd off`;
/** Controls: variant -> level of its launch. */
const CONTROLS = new Map(
  LEVELS.filter((level) => level !== 'off').map((level) => [controlOf(level), level]),
);

/** @type {import('../../harness/scenarios.js').Scenario} */
export default {
  name: 'memory',
  title: 'Memory of the whole TV with games running',
  timeoutMs: 600_000,
  reference: 'process',
  metrics: [
    { name: 'unreclaimable', unit: 'KiB' },
    { name: 'pss', unit: 'KiB' },
    { name: 'uss', unit: 'KiB' },
    { name: 'pss_file', unit: 'KiB', compare: false },
    { name: 'ksm', unit: 'KiB', better: 'higher', compare: false },
    { name: 'workers', unit: 'KiB', compare: false },
    { name: 'saved_merging', unit: '%', better: 'higher', compare: false },
    { name: 'saved_workers', unit: '%', better: 'higher', compare: false },
    { name: 'ksmd_cpu', unit: 'ms', compare: false },
  ],

  configurations: ({
    quick,
    engines = ENGINES,
    workers = quick ? WORKERS_QUICK : WORKERS,
    levels = LEVELS,
  }) =>
    workers.flatMap((count) => [
      ...engines.map((engine) => ({ variant: engine, engine, workers: count })),
      ...engines
        .filter((engine) => engine !== 'thread' && !missingForLock())
        .map((engine) => ({ variant: LOCKED, engine, workers: count })),
      ...[...(engines.includes('process') ? CONTROLS : [])]
        .filter(([, level]) => levels.includes(level))
        .flatMap(([variant, level]) => [
          { variant: MERGED, engine: 'process', level, workers: count },
          { variant, engine: 'process', workers: count },
        ]),
    ]),

  // V8 compiles hot code, and ksmd merges what it can, in five seconds; forks share fewer pages the longer they play.
  phases: { play: [30_000, 30_000] },

  async sample({ variant, engine, level, workers }, { phases, round, workDir, after }) {
    const games = Number(workers);
    const launch = level ?? CONTROLS.get(variant) ?? 'off';
    if (launch !== 'off') requireMarking(launch);
    if (CONTROLS.has(variant) && readSettings().run === '1')
      throw new Error('ksmd is running, so nothing can be compared; stop it with `pitv ksm off`');
    const merging = level ? await startMerging() : undefined;
    const strangers = variant === LOCKED ? writeStranger(workDir) : undefined;
    const request = { engine: String(engine), matches: games, level: launch, strangers };
    const tv = await startTv(request, { node: copyNode(workDir) });
    after(tv.stop);
    after(() => merging?.stop());
    const screen = await Client.screen(tv);
    const game = strangers ? STRANGER : OWN;
    await startMatches(tv, games, game, { bodies: BODIES, seed: round });
    const ticks = phases.play * TICKS_PER_MS;
    await waitForTicks(tv, games, ticks);
    const isMerged = merging?.done() ?? true;
    if (!isMerged) await waitForTicks(tv, games, ticks, () => merging?.done() ?? true);
    const { total, processes } = await memoryOfTree(tv.pid);
    screen.vanish();
    return {
      metrics: {
        unreclaimable: total.unreclaimableKib,
        pss: total.pssKib,
        uss: total.ussKib,
        pss_file: total.fileKib,
        ksm: total.mergedKib,
        workers: total.unreclaimableKib - processes[0].memory.unreclaimableKib,
        ...(merging && { ksmd_cpu: merging.cpuMs() }),
      },
      facts: { isMerged },
    };
  },

  /** Computes what merging alone saves, against the control of the same round. */
  derive(samples) {
    for (const sample of samples) {
      const { configuration, metrics } = sample;
      const { level, workers } = configuration;
      const control = level ? { variant: controlOf(level), workers } : undefined;
      const before = control && findInRound(samples, sample, control)?.metrics;
      metrics.saved_merging = savedPercent(metrics.unreclaimable, before?.unreclaimable);
      metrics.saved_workers = savedPercent(metrics.workers, before?.workers);
    }
  },

  notes(samples) {
    const late = samples.filter(({ facts }) => !facts.isMerged).length;
    return [
      'memory: `unreclaimable` is anonymous and shared memory, including written pages of private file mappings. `pss` is the sum of it and `pss_file`: clean pages of files, which the kernel can drop.',
      'memory: `process as LEVEL, ksmd off` has the launch of that KSM level without merging; `saved_merging` compares with it, and `saved_workers` does so without the main process (`workers`).',
      'memory: `ksmd_cpu` is the CPU time of ksmd, which merges as fast as it can, until the memory is read.',
      'memory: `locked` plays the same game as one of others. Its code is not in the zygote, so it includes the memory of code that a worker compiles itself.',
      ...(late > 0
        ? [`memory: ${late} samples were taken later than the others, because ksmd was not done.`]
        : []),
    ];
  },
};

/** @param {number} after @param {number} [before] @returns {number} percent; NaN without `before` */
const savedPercent = (after, before = NaN) => (1 - after / before) * 100;

/**
 * Copies the game as one of others. A TV locks the copy, and has none of its code in the zygote.
 * @param {string} parent folder
 * @returns {string} the folder of the copy, which contains no other game
 */
function writeStranger(parent) {
  const folder = join(parent, STRANGER);
  const source = readFileSync(new URL(`games/${OWN}.js`, SOURCES), 'utf8')
    .replaceAll(`'../game/`, `'${new URL('game/', SOURCES).href}`)
    .replace(`id: '${OWN}'`, `id: '${STRANGER}'`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${STRANGER}.js`), source);
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  return folder;
}

/** Checks that workers can be launched at a level here. @param {string} level @throws {PitvError} KSM_UNSUPPORTED */
function requireMarking(level) {
  const { madvise, prctl, personality, missing } = probeFeatures();
  if ((madvise || prctl) && (level !== 'identical' || personality)) return;
  const names = missing.map(({ name }) => name).join(', ');
  const sentence = `This machine cannot launch workers at level ${level}. Missing: ${names}.`;
  throw new PitvError('KSM_UNSUPPORTED', sentence);
}

/**
 * Starts ksmd, which merges all equal pages as fast as it can, as soon as no other test or run holds the controller's
 * lock. Call this before the TV starts, because the controller reacts to new processes.
 * @returns {Promise<{done: () => boolean, cpuMs: () => number, stop: () => void}>} done: whether all equal pages have
 *   been merged, or the controller has found that merging does not pay; cpuMs: CPU time of ksmd since the start; stop:
 *   restores the machine's settings
 * @throws {Error} KSM_UNSUPPORTED, KSM_PERMISSION, KSM_LOCKED
 */
async function startMerging() {
  const controller = new KsmController(FAST);
  const until = performance.now() + LOCK_TIMEOUT_MS;
  while (!controller.running) {
    try {
      controller.start();
    } catch (error) {
      const isLocked = Reflect.get(Object(error), 'code') === 'KSM_LOCKED';
      if (!isLocked || performance.now() > until) throw error;
      await sleep(POLL_MS);
    }
  }
  process.once('exit', () => controller.stop());
  let isDone = false;
  controller.on('mode', () => (isDone = controller.mode !== 'burst'));
  const ksmd = findKsmd();
  const cpuMs = () => (ksmd === undefined ? NaN : (ksmdCpuMs(ksmd) ?? NaN));
  const before = cpuMs();
  return {
    done: () => isDone,
    cpuMs: () => cpuMs() - before,
    stop: () => controller.stop(),
  };
}
