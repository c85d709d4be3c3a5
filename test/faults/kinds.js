/** The kinds of faults. */
import { setTimeout as delay } from 'node:timers/promises';
import { SIGNAL_GROW, SIGNAL_SPIN } from './means.js';

/**
 * @typedef {object} Target
 * @property {import('../support/tv-under-test.js').TvUnderTest} serve
 * @property {import('./means.js').Means} means
 * @property {import('../support/played-match.js').PlayedMatch} victim
 * @property {string} engine
 * @property {(n: number) => number} random 0..n-1
 *
 * @typedef {object} Kind
 * @property {string} name
 * @property {'victim' | 'all'} hits the victim's match, or all matches because the TV ends
 * @property {string[]} [needs] see Means.missing; `pids` and `memory` are control groups
 * @property {string[]} [engines] all when left out
 * @property {boolean} [logsErrors] may the TV log errors?
 * @property {number} failures of the victim's match that the TV may count
 * @property {(target: Target) => Promise<void>} inject resolves when the match has been hit
 * @property {(target: Target) => Promise<void>} [lift] called when the match is back
 * @property {boolean} [saves] whether the match must be checkpointed again after the fault
 */

/**
 * Engines whose workers can be hit from outside. A thread cannot be killed or stopped alone, and a thread that loops
 * in a signal handler, outside of JavaScript, cannot be ended.
 */
const PROCESSES = ['process', 'zygote'];
const SLOW_DISK_MS = 300;
const SPARE_BYTES = 48e6;
const FEW_DESCRIPTORS = 8;

/** @param {Target} target @returns {number} */
function workerOf({ serve, victim }) {
  const pid = serve.workers.get(victim.match);
  if (pid === undefined) throw new Error(`match ${victim.match} has no worker`);
  return pid;
}

/** @param {Target} target @param {number | NodeJS.Signals} signal */
const signalWorker = async (target, signal) => target.serve.signal(workerOf(target), signal);

/** Kills the worker. @param {Target} target */
const killWorker = (target) => signalWorker(target, 'SIGKILL');

/** Kills the main process. @param {Target} target */
const killMain = async ({ serve }) => serve.signal(serve.pid, 'SIGKILL');

/** @param {Target} target @param {number} maxMs */
const pause = ({ random }, maxMs) => delay(random(maxMs));

/** States of the disk, by name. @type {Record<string, Pick<Kind, 'needs' | 'lift'> & {begin: Kind['inject']}>} */
const DISKS = {
  full: {
    needs: ['smallDisk'],
    begin: ({ means }) => means.fillDisk(),
    lift: ({ means }) => means.emptyDisk(),
  },
  'read-only': {
    begin: ({ means }) => means.setDisk({ readOnly: true }),
    lift: ({ means }) => means.setDisk({}),
  },
  slow: {
    begin: ({ means }) => means.setDisk({ delayMs: SLOW_DISK_MS }),
    lift: ({ means }) => means.setDisk({}),
  },
};

/**
 * Makes a fault of the disk during which a process is killed.
 * @param {keyof typeof DISKS} name @param {Kind['inject']} kill @returns {Omit<Kind, 'name' | 'hits' | 'failures'>}
 */
const withDisk = (name, kill) => ({
  needs: DISKS[name].needs,
  saves: true,
  async inject(target) {
    await DISKS[name].begin(target);
    await pause(target, 300);
    await kill(target);
    // A TV does not start quickly from a slow disk.
    if (name === 'slow' && kill === killMain) await DISKS.slow.lift?.(target);
  },
  lift: DISKS[name].lift,
});

/** Faults of the victim's match, by name. @type {Record<string, Omit<Kind, 'name' | 'hits'>>} */
const OF_A_WORKER = {
  'worker killed': { failures: 1, inject: killWorker },
  'worker stopped': { failures: 1, inject: (target) => signalWorker(target, 'SIGSTOP') },
  'worker hung': { failures: 1, inject: (target) => signalWorker(target, SIGNAL_SPIN) },
  'worker out of memory': { failures: 1, inject: (target) => signalWorker(target, SIGNAL_GROW) },
  'zygote and worker killed': {
    engines: ['zygote'],
    failures: 1,
    async inject(target) {
      const { serve } = target;
      // A zygote that dies repeatedly is replaced after a pause.
      if (serve.owns(serve.zygotePid)) serve.signal(serve.zygotePid, 'SIGKILL');
      await killWorker(target);
    },
  },
  'clock jumps, worker killed': {
    needs: ['faketime'],
    failures: 1,
    async inject(target) {
      const day = 86_400;
      await target.means.setClock(target.random(2 * day) - day);
      await killWorker(target);
    },
  },
  'disk full, worker killed': { failures: 1, ...withDisk('full', killWorker) },
  'disk read-only, worker killed': { failures: 1, ...withDisk('read-only', killWorker) },
  'disk slow, worker killed': { failures: 1, ...withDisk('slow', killWorker) },
  'no descriptors, worker killed': {
    logsErrors: true,
    failures: 2,
    async inject(target) {
      const { means, serve } = target;
      const before = await means.setDescriptors(serve.pid, FEW_DESCRIPTORS);
      await killWorker(target);
      await pause(target, 150);
      await means.setDescriptors(serve.pid, before);
    },
  },
  'no pids, worker killed': {
    logsErrors: true,
    needs: ['pids'],
    failures: 2,
    async inject(target) {
      target.serve.groups.get('pids')?.limit(1);
      await killWorker(target);
      await pause(target, 150);
      target.serve.groups.get('pids')?.limit();
    },
  },
  'no memory, worker takes all': {
    logsErrors: true,
    needs: ['memory'],
    failures: 1,
    async inject(target) {
      const memory = target.serve.groups.get('memory');
      memory?.limit(memory.used + SPARE_BYTES);
      await signalWorker(target, SIGNAL_GROW);
    },
    lift: async ({ serve }) => serve.groups.get('memory')?.limit(),
  },
};

/** Faults of all matches, because the TV ends. @type {Record<string, Omit<Kind, 'name' | 'hits' | 'failures'>>} */
const OF_THE_TV = {
  'main killed': { inject: killMain },
  'disk full, main killed': withDisk('full', killMain),
  'disk slow, main killed': withDisk('slow', killMain),
};

/** @type {readonly Kind[]} */
export const KINDS = Object.freeze([
  ...Object.entries(OF_A_WORKER).map(
    ([name, kind]) => /** @type {Kind} */ ({ hits: 'victim', engines: PROCESSES, ...kind, name }),
  ),
  ...Object.entries(OF_THE_TV).map(
    ([name, kind]) => /** @type {Kind} */ ({ hits: 'all', failures: 0, ...kind, name }),
  ),
]);

/**
 * Plans a run. Faults that end the main process come last, so that leaks of the others are looked for in one process.
 * @param {Kind[]} kinds @param {number} count @param {(n: number) => number} random @returns {Kind[]}
 */
export function plan(kinds, count, random) {
  const planned = Array.from({ length: count }, () => kinds[random(kinds.length)]);
  const hits = (/** @type {Kind['hits']} */ what) => planned.filter((kind) => kind.hits === what);
  return [...hits('victim'), ...hits('all')];
}
