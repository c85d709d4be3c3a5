/** The kinds of faults. */
import { setTimeout as delay } from 'node:timers/promises';
import { SIGNAL_GROW, SIGNAL_SPIN } from './means.js';

/**
 * @typedef {object} Target
 * @property {import('../support/serve.js').ServeChild} serve
 * @property {import('./means.js').Means} means
 * @property {import('./lane.js').Lane} victim
 * @property {string} engine
 * @property {(n: number) => number} random 0..n-1
 *
 * @typedef {object} Kind
 * @property {string} name
 * @property {'victim' | 'all'} hits the victim's match, or all matches because the TV ends
 * @property {string[]} [needs] see Means.missing
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

/** Kills the worker, in addition to another fault. @param {Target} target */
const hurt = (target) => signalWorker(target, 'SIGKILL');

/** @param {Target} target @param {number} maxMs */
const some = ({ random }, maxMs) => delay(random(maxMs));

/** @type {readonly Kind[]} */
export const KINDS = Object.freeze([
  {
    name: 'worker killed',
    hits: 'victim',
    engines: PROCESSES,
    failures: 1,
    inject: hurt,
  },
  {
    name: 'worker stopped',
    hits: 'victim',
    engines: PROCESSES,
    failures: 1,
    inject: (target) => signalWorker(target, 'SIGSTOP'),
  },
  {
    name: 'worker hung',
    hits: 'victim',
    engines: PROCESSES,
    failures: 1,
    inject: (target) => signalWorker(target, SIGNAL_SPIN),
  },
  {
    name: 'worker out of memory',
    hits: 'victim',
    engines: PROCESSES,
    failures: 1,
    inject: (target) => signalWorker(target, SIGNAL_GROW),
  },
  {
    name: 'zygote and worker killed',
    hits: 'victim',
    engines: ['zygote'],
    failures: 1,
    async inject(target) {
      const { serve } = target;
      // A zygote that dies repeatedly is replaced after a pause.
      if (serve.owns(serve.zygotePid)) serve.signal(serve.zygotePid, 'SIGKILL');
      serve.signal(workerOf(target), 'SIGKILL');
    },
  },
  {
    name: 'clock jumps, worker killed',
    hits: 'victim',
    engines: PROCESSES,
    needs: ['faketime'],
    failures: 1,
    async inject(target) {
      const day = 86_400;
      await target.means.setClock(target.random(2 * day) - day);
      await hurt(target);
    },
  },
  {
    name: 'disk full, worker killed',
    hits: 'victim',
    engines: PROCESSES,
    needs: ['smallDisk'],
    failures: 1,
    saves: true,
    async inject(target) {
      await target.means.fillDisk();
      await some(target, 300);
      await hurt(target);
    },
    lift: ({ means }) => means.emptyDisk(),
  },
  {
    name: 'disk read-only, worker killed',
    hits: 'victim',
    engines: PROCESSES,
    failures: 1,
    saves: true,
    async inject(target) {
      await target.means.setDisk({ readOnly: true });
      await some(target, 300);
      await hurt(target);
    },
    lift: ({ means }) => means.setDisk({}),
  },
  {
    name: 'disk slow, worker killed',
    hits: 'victim',
    engines: PROCESSES,
    failures: 1,
    saves: true,
    async inject(target) {
      await target.means.setDisk({ delayMs: SLOW_DISK_MS });
      await some(target, 300);
      await hurt(target);
    },
    lift: ({ means }) => means.setDisk({}),
  },
  {
    name: 'no descriptors, worker killed',
    hits: 'victim',
    logsErrors: true,
    engines: PROCESSES,
    failures: 2,
    async inject(target) {
      const { means, serve } = target;
      const before = await means.setDescriptors(serve.pid, FEW_DESCRIPTORS);
      await hurt(target);
      await some(target, 150);
      await means.setDescriptors(serve.pid, before);
    },
  },
  {
    name: 'no pids, worker killed',
    hits: 'victim',
    logsErrors: true,
    engines: PROCESSES,
    needs: ['pids'],
    failures: 2,
    async inject(target) {
      await target.means.setPids(1);
      await hurt(target);
      await some(target, 150);
      await target.means.setPids('max');
    },
  },
  {
    name: 'no memory, worker takes all',
    hits: 'victim',
    logsErrors: true,
    engines: PROCESSES,
    needs: ['memory'],
    failures: 1,
    async inject(target) {
      await target.means.setMemory(SPARE_BYTES);
      await signalWorker(target, SIGNAL_GROW);
    },
    lift: ({ means }) => means.setMemory(),
  },
  {
    name: 'main killed',
    hits: 'all',
    failures: 0,
    inject: async ({ serve }) => serve.signal(serve.pid, 'SIGKILL'),
  },
  {
    name: 'disk full, main killed',
    hits: 'all',
    needs: ['smallDisk'],
    failures: 0,
    saves: true,
    async inject(target) {
      await target.means.fillDisk();
      await some(target, 300);
      target.serve.signal(target.serve.pid, 'SIGKILL');
    },
    lift: ({ means }) => means.emptyDisk(),
  },
  {
    name: 'disk slow, main killed',
    hits: 'all',
    failures: 0,
    saves: true,
    async inject(target) {
      await target.means.setDisk({ delayMs: SLOW_DISK_MS });
      await some(target, 300);
      target.serve.signal(target.serve.pid, 'SIGKILL');
      await target.means.setDisk({});
    },
  },
]);

/**
 * Plans a run. In each block, faults that end the main process come last, so that the block's memory samples are of
 * one process.
 * @param {Kind[]} kinds @param {number} count @param {(n: number) => number} random
 * @param {number} block
 * @returns {Kind[]}
 */
export function plan(kinds, count, random, block) {
  const planned = Array.from({ length: count }, () => kinds[random(kinds.length)]);
  const sorted = [];
  for (let start = 0; start < count; start += block) {
    const some = planned.slice(start, start + block);
    sorted.push(...some.filter(({ hits }) => hits === 'victim'));
    sorted.push(...some.filter(({ hits }) => hits === 'all'));
  }
  return sorted;
}
