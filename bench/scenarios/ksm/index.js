/**
 * Measures what merging memory saves and costs in the whole TV (the main process and all of its descendants), with
 * matches of bumper and simulated players, at each level. The package's own controller drives ksmd. Needs root.
 * `--engines zygote` measures workers that share memory already.
 *
 * A level changes how workers are launched, and that alone saves memory (fewer threads, one malloc arena, freed memory
 * returned to the kernel). Therefore, each level has a control with the same launch and ksmd off. Only the difference
 * between the two is due to merging. All variants are sampled at the same time after the start of their last match,
 * whether ksmd runs or not.
 *
 * The TV runs from a copy of Node.js: the PSS of a page is divided by all processes that map it, and the processes of
 * the harness would take a share.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { KsmController, LEVELS, findKsmd, ksmdCpuMs, readSettings } from '../../../ksm/index.js';
import { memoryOfTree } from '../../../app/process/memory-account.js';
import { copyNode } from '../../harness/work-dir.js';
import { listMatches, startClients, startTv } from '../../harness/remote-tv.js';
import { findInRound } from '../../harness/scenarios.js';
import { median } from '../../stats/stats.js';
import { startController, waitForMode } from './controller.js';

const ENGINES = ['process'];
const WORKERS = [1, 2, 4, 8];
const GAME = 'bumper';
const PADS_PER_MATCH = 2;
const LOCK_TIMEOUT_MS = 120_000;
const POLL_MS = 1000;

/** @typedef {import('../../../ksm/layout.js').Level} Level */
/** @typedef {{launch: Level, merge: boolean}} Variant launch: how workers are launched; merge: ksmd runs */

/** Each level, and its control. @type {Readonly<Record<string, Variant>>} */
const VARIANTS = Object.freeze(
  Object.fromEntries(
    LEVELS.flatMap((launch) => [
      [launch, { launch, merge: launch !== 'off' }],
      ...(launch === 'off' ? [] : [[controlOf(launch), { launch, merge: false }]]),
    ]),
  ),
);

/** @type {import('../../harness/scenarios.js').Scenario} */
export default {
  name: 'ksm',
  title: 'Memory of the whole TV with 1..8 running matches, and what merging costs',
  timeoutMs: 300_000,
  reference: { level: 'off' },
  metrics: [
    { name: 'unreclaimable', unit: 'KiB' },
    { name: 'saved_merging', unit: '%', better: 'higher', compare: false },
    { name: 'saved_workers', unit: '%', better: 'higher', compare: false },
    { name: 'workers', unit: 'KiB', compare: false },
    { name: 'pss', unit: 'KiB' },
    { name: 'ksm', unit: 'KiB', better: 'higher', compare: false },
    { name: 'ksmd_burst', unit: 'ms', compare: false },
    { name: 'ksmd_trickle', unit: 'ms/min', compare: false },
  ],

  configurations: ({ engines = ENGINES, workers = WORKERS }) =>
    engines
      .filter((engine) => engine !== 'thread') // one process has no equal pages to merge
      .flatMap((engine) =>
        workers.flatMap((count) =>
          Object.entries(VARIANTS).map(([variant, { launch, merge }]) => {
            // A control has no level, since nothing is merged.
            const level = merge || launch === 'off' ? launch : null;
            return { variant, engine, workers: count, level };
          }),
        ),
      ),

  // settle: until the countdown is over and V8 has compiled the code; merge: ksmd starts, and merges equal pages;
  // watch: memory is sampled
  phases: { settle: [8000, 6000], merge: [10_000, 8000], watch: [4000, 3000] },

  async sample({ variant, engine, workers }, { phases, workDir, after }) {
    const matches = workers ?? 1;
    const { launch, merge } = VARIANTS[variant];
    if (readSettings().run === '1')
      throw new Error('ksmd is already running; stop it with `pitv ksm off`');
    const request = { engine: String(engine), matches, level: launch };
    const tv = await startTv(request, { node: copyNode(workDir) });
    after(tv.stop);
    const counts = { matches, screens: matches, pads: matches * PADS_PER_MATCH };
    after((await startClients(tv, { game: GAME, ...counts })).stop);
    const sample = await measure(tv, merge, phases);
    if ((await listMatches(tv)).length < matches) throw new Error('a match has ended');
    return sample;
  },

  /** Computes savings against the control of the same engine, number of workers and round. */
  derive(samples) {
    for (const sample of samples) {
      const { configuration, metrics } = sample;
      const { engine, workers } = configuration;
      const { launch, merge } = VARIANTS[configuration.variant];
      const control = { variant: controlOf(launch), engine, workers };
      const before = merge ? findInRound(samples, sample, control)?.metrics : undefined;
      metrics.saved_merging = savedPercent(metrics.unreclaimable, before?.unreclaimable);
      metrics.saved_workers = savedPercent(metrics.workers, before?.workers);
    }
  },

  notes: (samples) => {
    const merged = samples.filter(({ configuration }) => VARIANTS[configuration.variant].merge);
    const unsteady = merged.filter(({ facts }) => !facts.steady);
    return [
      'ksm: `saved_merging` compares unreclaimable memory with the same launch and ksmd off, within a round, and `saved_workers` does so without the main process.',
      ...(unsteady.length > 0
        ? [
            `ksm: in ${unsteady.length} of ${merged.length} samples ksmd still found new pages when memory was sampled.`,
          ]
        : []),
    ];
  },
};

/**
 * Measures a TV in all phases.
 * @param {import('../../harness/remote-tv.js').RemoteTv} tv
 * @param {boolean} merge whether ksmd runs @param {Record<string, number>} phases
 * @returns {Promise<import('../../harness/scenarios.js').SampleResult>}
 */
async function measure(tv, merge, phases) {
  const ksmd = findKsmd();
  const cpuMs = () => (ksmd === undefined ? 0 : (ksmdCpuMs(ksmd) ?? 0));
  const controller = new KsmController();
  process.once('exit', () => controller.stop()); // restores the settings of ksmd
  for (const signal of ['SIGTERM', 'SIGINT']) process.once(signal, () => process.exit(1));
  await sleep(phases.settle);
  const mergedAt = performance.now() + phases.merge;
  const timeLeft = () => Math.max(0, mergedAt - performance.now());
  let steady = true;
  let burst = 0;
  try {
    if (merge) {
      await startController(controller, LOCK_TIMEOUT_MS);
      const before = cpuMs();
      steady = await waitForMode(controller, 'trickle', timeLeft());
      burst = steady ? cpuMs() - before : NaN;
    }
    await sleep(timeLeft());
    /** @type {{unreclaimable: number, workers: number, pss: number, ksm: number}[]} */
    const readings = [];
    const before = cpuMs();
    while (performance.now() < mergedAt + phases.watch) {
      await sleep(POLL_MS);
      const { total, processes } = await memoryOfTree(tv.pid);
      const unreclaimable = total.unreclaimableKib;
      const workers = unreclaimable - processes[0].memory.unreclaimableKib;
      readings.push({ unreclaimable, workers, pss: total.pssKib, ksm: total.mergedKib });
    }
    const trickle = ((cpuMs() - before) / phases.watch) * 60_000;
    const typical = (/** @type {keyof (typeof readings)[0]} */ key) =>
      median(readings.map((one) => one[key]));
    return {
      metrics: {
        unreclaimable: typical('unreclaimable'),
        workers: typical('workers'),
        pss: typical('pss'),
        ksm: typical('ksm'),
        ksmd_burst: burst,
        ksmd_trickle: trickle,
      },
      facts: { steady },
    };
  } finally {
    controller.stop();
  }
}

/** Returns the variant with the same launch and ksmd off. @param {string} level @returns {string} */
function controlOf(level) {
  return `${level}, ksmd off`;
}

/** @param {number} after @param {number} [before] @returns {number} percent; NaN without `before` */
const savedPercent = (after, before = NaN) => (1 - after / before) * 100;
