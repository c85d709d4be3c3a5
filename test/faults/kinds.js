/** The kinds of faults, and their means: a small disk, the preloaded library, few descriptors, a false clock. */
import { execFile, execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { open, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { fillDisk, mountDisk, temporaryFolder } from '../support/folders.js';
import { FAKETIME, missingForFakeTime } from '../support/faketime.js';

const run = promisify(execFile);
const PRELOAD = fileURLToPath(new URL('preload.c', import.meta.url));
const CFLAGS = '-O2 -std=c11 -Wall -Wextra -Werror -D_GNU_SOURCE -fPIC -shared'.split(' ');

/** See preload.c. */
const SIGNAL_SPIN = 50;
const SIGNAL_GROW = 51;
const CONTROL_BYTES = 8;
const SLOW_DISK_MS = 300;
const DISK_BYTES = 16e6;
const isRoot = process.getuid?.() === 0;

export class Means {
  /** Means that this machine does not offer, and why. @type {Record<string, string>} */
  missing = {};

  constructor() {
    const folder = temporaryFolder();
    this.control = join(folder, 'control');
    this.clock = join(folder, 'clock');
    writeFileSync(this.control, Buffer.alloc(CONTROL_BYTES));
    writeFileSync(this.clock, '+0');
    this.library = join(folder, 'preload.so');
    execFileSync('cc', [...CFLAGS, '-o', this.library, PRELOAD, '-ldl'], { stdio: 'inherit' });
    this.dataDir = isRoot ? mountDisk(DISK_BYTES) : temporaryFolder();
    if (!isRoot) this.missing.smallDisk = 'mounting a file system needs root';
    if (missingForFakeTime) this.missing.faketime = missingForFakeTime;
  }

  /** The environment for the TV. */
  get env() {
    const libraries = [this.library];
    if (!this.missing.faketime) libraries.push(FAKETIME);
    return {
      LD_PRELOAD: libraries.join(':'),
      PITV_FAULTS_CONTROL: this.control,
      PITV_FAULTS_DIRECTORY: this.dataDir,
      FAKETIME_TIMESTAMP_FILE: this.clock,
      FAKETIME_CACHE_DURATION: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      FAKETIME_DONT_RESET: '1',
    };
  }

  /** Changes the disk, by default to an ordinary one. @param {'full' | 'read-only' | 'slow'} [state] */
  async setDisk(state) {
    const bytes = Buffer.alloc(CONTROL_BYTES);
    bytes.writeUInt32LE(state === 'slow' ? SLOW_DISK_MS : 0, 0);
    bytes.writeUInt32LE(Number(state === 'read-only'), 4);
    const file = await open(this.control, 'r+'); // in place: it is mapped
    await file.write(bytes, 0, CONTROL_BYTES, 0).finally(() => file.close());
    const balloon = join(this.dataDir, 'balloon');
    if (state === 'full') await fillDisk(balloon);
    else await rm(balloon, { force: true });
  }

  /** Changes the TV's wall clock within a second. @param {number} seconds offset from the real time */
  setClock(seconds) {
    return writeFile(this.clock, `${seconds < 0 ? '-' : '+'}${Math.abs(seconds)}`);
  }

  /** @param {number} pid @param {number} soft @returns {Promise<number>} the limit before */
  async setDescriptors(pid, soft) {
    const limits = await readFile(`/proc/${pid}/limits`, 'utf8');
    await run('prlimit', ['--pid', String(pid), `--nofile=${soft}:`]);
    return Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1]);
  }

  /** @param {number} match @returns {Promise<number>} ms since 1970 of its newest checkpoint on disk */
  async checkpointedAt(match) {
    const times = ['a', 'b'].map(async (side) => {
      const about = await stat(join(this.dataDir, 'live', `${match}.${side}`)).catch(() => null);
      return about?.mtimeMs ?? 0;
    });
    return Math.max(...(await Promise.all(times)));
  }
}

/**
 * @typedef {object} Target
 * @property {import('../support/tv-under-test.js').TvUnderTest} serve
 * @property {Means} means
 * @property {import('../support/played-match.js').PlayedMatch} victim
 * @property {(n: number) => number} random 0..n-1
 *
 * @typedef {object} Kind
 * @property {string} name
 * @property {'victim' | 'all'} hits the victim's match, or all matches because the TV ends
 * @property {string[]} [needs] see Means.missing; `pids` and `memory` are control groups
 * @property {readonly string[]} [engines] all when left out
 * @property {boolean} [logsErrors] may the TV log errors?
 * @property {number} failures of a match that the TV may count
 * @property {(target: Target) => Promise<void>} inject resolves when the match has been hit
 * @property {(target: Target) => Promise<void>} [lift] called when the match is back
 * @property {boolean} [saves] whether the match must be checkpointed again after the fault
 *
 * @typedef {Omit<Kind, 'name' | 'hits' | 'failures'> & Partial<Kind>} GivenKind by default, it hits the victim once
 */

/**
 * Engines whose workers can be hit from outside. A thread cannot be killed or stopped alone, and a thread that loops
 * in a signal handler, outside of JavaScript, cannot be ended.
 */
const PROCESSES = Object.freeze(['process', 'zygote']);
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

/**
 * Makes a fault of the disk during which a process is killed.
 * @param {'full' | 'read-only' | 'slow'} state @param {Kind['inject']} kill
 * @returns {GivenKind}
 */
const withDisk = (state, kill) => ({
  hits: kill === killMain ? 'all' : 'victim',
  needs: state === 'full' ? ['smallDisk'] : [],
  saves: true,
  async inject(target) {
    const { means } = target;
    await means.setDisk(state);
    await pause(target, 300);
    await kill(target);
    if (state === 'slow' && kill === killMain) await means.setDisk(); // a TV does not start quickly from it
  },
  lift: ({ means }) => means.setDisk(),
});

/** @type {Record<string, GivenKind>} */
const BY_NAME = {
  'worker killed': { inject: killWorker },
  'worker stopped': { inject: (target) => signalWorker(target, 'SIGSTOP') },
  'worker hung': { inject: (target) => signalWorker(target, SIGNAL_SPIN) },
  'worker out of memory': { inject: (target) => signalWorker(target, SIGNAL_GROW) },
  'zygote and worker killed': {
    engines: ['zygote'],
    async inject(target) {
      const { serve } = target;
      // A zygote that dies repeatedly is replaced after a pause.
      if (serve.owns(serve.zygotePid)) serve.signal(serve.zygotePid, 'SIGKILL');
      await killWorker(target);
    },
  },
  'clock jumps, worker killed': {
    needs: ['faketime'],
    async inject(target) {
      const day = 86_400;
      await target.means.setClock(target.random(2 * day) - day);
      await killWorker(target);
    },
  },
  'disk full, worker killed': withDisk('full', killWorker),
  'disk read-only, worker killed': withDisk('read-only', killWorker),
  'disk slow, worker killed': withDisk('slow', killWorker),
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
    async inject(target) {
      const memory = target.serve.groups.get('memory');
      memory?.limit(memory.used + SPARE_BYTES);
      await signalWorker(target, SIGNAL_GROW);
    },
    lift: async ({ serve }) => serve.groups.get('memory')?.limit(),
  },
  'main killed': { hits: 'all', inject: killMain },
  'disk full, main killed': withDisk('full', killMain),
  'disk slow, main killed': withDisk('slow', killMain),
};

/** @type {readonly Kind[]} */
export const KINDS = Object.entries(BY_NAME).map(([name, { hits = 'victim', ...kind }]) => {
  const engines = hits === 'victim' ? PROCESSES : undefined;
  return { engines, failures: 1, ...kind, hits, name };
});

/**
 * Plans a run. Faults that end the main process come last, so that leaks of the others are looked for in one process.
 * @param {Kind[]} kinds @param {number} count @param {(n: number) => number} random @returns {Kind[]}
 */
export function plan(kinds, count, random) {
  const planned = Array.from({ length: kinds.length && count }, () => kinds[random(kinds.length)]);
  const hits = (/** @type {Kind['hits']} */ what) => planned.filter((kind) => kind.hits === what);
  return [...hits('victim'), ...hits('all')];
}
