/**
 * Repeats figures 3 and 4 of the paper (bench/report/paper.js): the memory of the whole TV (web server, WebSockets, n
 * games), summed over all of its processes, for each engine, and for processes with KSM. It is sampled after the same
 * number of ticks of every game. Each KSM level has a control with the same launch and ksmd off.
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
import { PitvError } from '../../../app/errors.js';
import { memoryOfTree } from '../../../app/process/memory-account.js';
import { ENGINES } from '../../../app/engine/index.js';
import { missingForLock } from '../../../app/engine/lock.js';
import { KsmController, LEVELS, probeFeatures } from '../../../ksm/index.js';
import { copyNode } from '../../harness/work-dir.js';
import { Client } from '../../harness/client.js';
import { startMatches, startTv, waitForTicks } from '../../harness/remote-tv.js';
import { findInRound } from '../../harness/scenarios.js';
import { startController } from '../ksm/controller.js';

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
    { name: 'pss_anon', unit: 'KiB', compare: false },
    { name: 'pss_shmem', unit: 'KiB', compare: false },
    { name: 'pss_file', unit: 'KiB', compare: false },
    { name: 'ksm', unit: 'KiB', compare: false },
    { name: 'saved_merging', unit: '%', better: 'higher', compare: false },
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

  // After five seconds, V8 has compiled hot code, and ksmd has usually merged what it can.
  phases: { play: [30_000, 30_000] },

  async sample({ variant, engine, level, workers }, { phases, round, workDir, after }) {
    const games = Number(workers);
    const launch = level ?? CONTROLS.get(variant) ?? 'off';
    if (launch !== 'off') requireMarking(launch);
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
    const { total } = await memoryOfTree(tv.pid);
    screen.vanish();
    return {
      metrics: {
        unreclaimable: total.unreclaimableKib,
        pss: total.pssKib,
        uss: total.ussKib,
        pss_anon: total.anonymousKib,
        pss_shmem: total.shmemKib,
        pss_file: total.fileKib,
        ksm: total.mergedKib,
      },
      facts: { isMerged },
    };
  },

  /** Computes what merging alone saves, against the control of the same round. */
  derive(samples) {
    for (const sample of samples) {
      const { configuration, metrics } = sample;
      const { level, workers } = configuration;
      const control = level && findInRound(samples, sample, { variant: controlOf(level), workers });
      const before = control ? control.metrics.unreclaimable : NaN;
      metrics.saved_merging = (1 - metrics.unreclaimable / before) * 100;
    }
  },

  notes(samples) {
    const late = samples.filter(({ facts }) => !facts.isMerged).length;
    return [
      'memory: `unreclaimable` is anonymous and shared memory, including written pages of private file mappings. `pss` is the sum of it and `pss_file`: clean pages of files, which the kernel can drop.',
      'memory: `process as LEVEL, ksmd off` has the launch of that KSM level without merging; `saved_merging` compares with it.',
      'memory: `locked` plays the same game as one of others. Its code is not in the zygote, so it includes the memory of code that a worker compiles itself.',
      ...(late > 0
        ? [`memory: ${late} samples were taken later than the others, because ksmd was not done.`]
        : []),
    ];
  },
};

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
  if ((!madvise && !prctl) || (level === 'identical' && !personality)) {
    throw new PitvError(
      'KSM_UNSUPPORTED',
      `This machine cannot launch workers at level ${level}. Missing: ${missing.map(({ name }) => name).join(', ')}.`,
    );
  }
}

/**
 * Starts ksmd, which merges all equal pages as fast as it can. Call this before the TV starts, because the controller
 * reacts to new processes. The `ksm` scenario measures the cost of merging, and the controller as it runs on a TV.
 * @returns {Promise<{done: () => boolean, stop: () => void}>} done: whether all equal pages have been merged; stop:
 *   restores the machine's settings
 * @throws {Error} KSM_UNSUPPORTED, KSM_PERMISSION, KSM_LOCKED
 */
async function startMerging() {
  const controller = new KsmController(FAST);
  await startController(controller, LOCK_TIMEOUT_MS);
  process.once('exit', () => controller.stop());
  process.once('SIGTERM', () => process.exit(1)); // the harness ends the sample
  return { done: () => controller.mode === 'trickle', stop: () => controller.stop() };
}
