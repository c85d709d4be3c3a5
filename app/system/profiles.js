/**
 * Takes CPU profiles and heap snapshots of the running TV: of the main thread or of a worker, one at a time. Files are
 * in the formats of Chrome's DevTools, and are deleted when they have been read.
 */
import { rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { getHeapStatistics } from 'node:v8';
import { inspectWorker } from '../engine/host/inspect-worker.js';
import { PitvError, messageOf } from '../errors.js';
import { LIMITS } from '../limits/table.js';
import { availableBytes } from '../process/available-memory.js';
import { listNames } from '../storage/saved-files.js';
import { makeDirectory } from '../storage/store.js';

export const PROFILES = 'profiles';
const CPU_PROFILE_SECONDS = 10;
const MIB = 1024 * 1024;
const MAX_BYTES = 256 * MIB;
/** Memory for a snapshot, in sizes of the heap: one for the snapshot itself, and up to two for its file. */
const SNAPSHOT_HEAP_FACTOR = 3;
const RESERVE_BYTES = 64 * MIB;
/** Used for workers that have just started: they report the size of their heap twice a second. */
const MIN_HEAP_BYTES = 16 * MIB;

const EXTENSIONS = Object.freeze({ cpu: 'cpuprofile', heap: 'heapsnapshot' });
const NAME = /^(cpu|heap)-[\w-]+\.\w+$/;

/** Returns the folder of the profiles, which is also the engine's inspectDir. @param {string} dataDir */
export const profilesFolder = (dataDir) => join(dataDir, PROFILES);

export class RunningProfiles {
  #isBusy = false;
  /** @type {Promise<void> | undefined} */
  #cleaned;

  /**
   * @param {object} options @param {string} options.folder
   * @param {import('../engine/index.js').Engine} options.engine its
   *   inspectDir must be this folder
   * @param {import('pino').BaseLogger} options.log
   * @param {Pick<import('./service.js').Service, 'extendWatchdog'>} [options.service] the service manager,
   *   whose watchdog ends the TV if the main thread is blocked for too long
   */
  constructor({ folder, engine, log, service }) {
    this.folder = folder;
    this.engine = engine;
    this.log = log;
    this.service = service;
    /** Duration of a CPU profile. */
    this.seconds = CPU_PROFILE_SECONDS;
    /** Maximum size of a file. */
    this.maxBytes = MAX_BYTES;
    /** Returns the available memory, bytes. */
    this.available = availableBytes;
  }

  /** What can be profiled. */
  get targets() {
    const running = this.engine.workers.filter((worker) => worker.running);
    const workers = running.map((worker) => ({
      id: `worker-${worker.id}`,
      name: `worker ${worker.id}, ${worker.name}`,
      heapBytes: heapBytesOf(worker),
    }));
    return [{ id: 'main', name: 'main thread', heapBytes: heapBytesOf() }, ...workers];
  }

  /**
   * Takes a profile.
   * @param {unknown} target id of one of `targets` @param {unknown} kind
   * @param {(path: string) => Promise<unknown>} read reads the file, which is deleted afterwards
   * @throws {PitvError} PITV_PROFILE_BUSY, PITV_PROFILE_TARGET, PITV_PROFILE_KIND, PITV_MEMORY_LOW,
   *   PITV_DISK_LOW, PITV_PROFILE_FAILED
   */
  async take(target, kind, read) {
    if (kind !== 'cpu' && kind !== 'heap') {
      throw new PitvError('PITV_PROFILE_KIND', 'The kind must be "cpu" or "heap".');
    }
    const worker = this.engine.workers.find(({ id }) => target === `worker-${id}`);
    if (target !== 'main' && !worker?.running) {
      const sentence = 'There is no such thread or worker. It may have ended.';
      throw new PitvError('PITV_PROFILE_TARGET', sentence);
    }
    if (this.#isBusy) {
      const sentence = 'Another profile is being taken. Wait until it is done.';
      throw new PitvError('PITV_PROFILE_BUSY', sentence);
    }
    this.#isBusy = true;
    try {
      // Who reads it may ask for the next one at once.
      const path = await this.#capture(kind, worker).finally(() => (this.#isBusy = false));
      await read(path).finally(() => rm(path, { force: true }));
    } catch (error) {
      if (error instanceof PitvError) throw error;
      const sentence = `The profile was not taken: ${messageOf(error)}.`;
      throw new PitvError('PITV_PROFILE_FAILED', sentence, { cause: error });
    }
  }

  /**
   * Checks that there is room for a profile.
   * @param {keyof typeof EXTENSIONS} kind @param {import('../engine/index.js').WorkerHandle} [worker]
   * @returns {Promise<string>} path of its file
   */
  async #prepare(kind, worker) {
    const heapBytes = Math.max(MIN_HEAP_BYTES, heapBytesOf(worker));
    const needed = kind === 'heap' ? SNAPSHOT_HEAP_FACTOR * heapBytes : 0;
    const free = this.available();
    if (kind === 'heap' && free < needed + RESERVE_BYTES) {
      const sentence = `A heap snapshot needs ${mib(needed + RESERVE_BYTES)} MiB of memory, and ${mib(free)} MiB are free.`;
      throw new PitvError('PITV_MEMORY_LOW', sentence);
    }
    await makeDirectory(this.folder);
    await (this.#cleaned ??= this.#clean());
    const { bavail, bsize } = await statfs(this.folder);
    if (bavail * bsize < needed + RESERVE_BYTES) {
      const sentence = `Only ${mib(bavail * bsize)} MiB are free in ${this.folder}. Delete files first.`;
      throw new PitvError('PITV_DISK_LOW', sentence);
    }
    const thread = worker ? `worker-${worker.id}-${slugOf(worker.name)}` : 'main';
    const at = new Date().toISOString().replace(/[-:.]/g, '');
    return join(this.folder, `${kind}-${thread}-${at}.${EXTENSIONS[kind]}`);
  }

  /** Deletes the files of a TV that was ended meanwhile. */
  async #clean() {
    for (const name of await listNames(this.folder, NAME))
      await rm(join(this.folder, name), { recursive: true });
  }

  /** @param {keyof typeof EXTENSIONS} kind @param {import('../engine/index.js').WorkerHandle} [worker] */
  async #capture(kind, worker) {
    const path = await this.#prepare(kind, worker);
    const inspection = { kind, seconds: this.seconds, path, maxBytes: this.maxBytes };
    try {
      if (worker) await inspectWorker(worker, inspection);
      else {
        const { captureInspection } = await import('../engine/worker/capture-inspection.js');
        // A heap snapshot blocks the main thread, maybe for longer than the service manager's watchdog allows.
        const restore = this.service?.extendWatchdog(LIMITS.snapshotSeconds.value * 1000);
        await captureInspection(inspection).finally(restore);
      }
    } catch (error) {
      throw new PitvError('PITV_PROFILE_FAILED', messageOf(error), { cause: error });
    }
    this.log.info({ file: path }, 'a profile was taken');
    return path;
  }
}

/** @param {import('../engine/index.js').WorkerHandle} [worker] without it, the main thread */
const heapBytesOf = (worker) =>
  worker ? worker.mailbox.memoryKib * 1024 : getHeapStatistics().total_heap_size;

/** @param {number} bytes */
const mib = (bytes) => Math.round(bytes / MIB);
/** Makes a worker's name fit for a file name. @param {string} name @returns {string} */
const slugOf = (name) =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 32) || 'job';
