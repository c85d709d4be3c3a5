/**
 * Takes CPU profiles and heap snapshots of the running TV: of the main thread or of a worker, one at a time. Files are
 * in the formats of Chrome's DevTools. The data directory keeps the newest four.
 */
import { lstat, rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { getHeapStatistics } from 'node:v8';
import { inspectWorker } from '../engine/host/inspect-worker.js';
import { captureInspection } from '../engine/worker/capture-inspection.js';
import { PitvError, messageOf } from '../errors.js';
import { LIMITS } from '../limits/table.js';
import { availableBytes } from '../process/available-memory.js';
import { listNames } from '../storage/saved-files.js';
import { makeDirectory } from '../storage/store.js';

export const PROFILES = 'profiles';
const CPU_PROFILE_SECONDS = 10;
const MAX_FILES = 4;
const MIB = 1024 * 1024;
const MAX_BYTES = 256 * MIB;
/** Memory for a snapshot, in sizes of the heap: one for the snapshot itself, and up to two for its file. */
const SNAPSHOT_HEAP_FACTOR = 3;
const RESERVE_BYTES = 64 * MIB;
/** Used for workers that have just started: they report the size of their heap twice a second. */
const MIN_HEAP_BYTES = 16 * MIB;

const EXTENSIONS = Object.freeze({ cpu: 'cpuprofile', heap: 'heapsnapshot' });
const NAME = /^(cpu|heap)-(main|worker-\d{1,9}(-[a-z0-9-]{1,32})?)-\d{8}T\d{6}Z\.\w+$/;

/** Returns the folder of the profiles, which is also the engine's inspectDir. @param {string} dataDir */
export const profilesFolder = (dataDir) => join(dataDir, PROFILES);

/**
 * @typedef {keyof typeof EXTENSIONS} Kind
 * @typedef {{kind: Kind, target: string, seconds: number}} Current seconds: duration, 0 for a heap
 *   snapshot, whose duration is unknown
 * @typedef {{name: string, bytes: number, at: number}} File at: ms since 1970
 */

export class RunningProfiles {
  /** @type {Current | undefined} */
  #current;
  /** Name of the incomplete file. */
  #currentFile = '';
  /** @type {{target: string, kind: Kind, message: string} | undefined} */
  #failed;
  /** Resolves when the current profile is done or has failed. @type {Promise<void>} */
  idle = Promise.resolve();

  /**
   * @param {object} options @param {string} options.folder
   * @param {import('../engine/index.js').Engine} options.engine its
   *   inspectDir must be this folder
   * @param {import('pino').BaseLogger} options.log
   * @param {number} [options.seconds] duration of a CPU profile
   * @param {number} [options.maxBytes] maximum size of a file
   * @param {() => number} [options.available] returns the available memory, bytes
   * @param {Pick<import('./service.js').Service, 'extendWatchdog'>} [options.service] the service manager,
   *   whose watchdog ends the TV if the main thread is blocked for too long
   */
  constructor({ folder, engine, log, seconds, maxBytes, available, service }) {
    this.folder = folder;
    this.engine = engine;
    this.log = log;
    this.seconds = seconds ?? CPU_PROFILE_SECONDS;
    this.maxBytes = maxBytes ?? MAX_BYTES;
    this.available = available ?? availableBytes;
    this.service = service;
  }

  /** Describes the current profile, the last failure, the possible targets and the files. */
  async status() {
    return {
      current: this.#current ?? null,
      failed: this.#failed ?? null,
      seconds: this.seconds,
      targets: [
        { id: 'main', name: 'main thread', heapBytes: this.#heapBytes() },
        ...this.engine.workers
          .filter(({ running }) => running)
          .map((worker) => ({
            id: `worker-${worker.id}`,
            name: `worker ${worker.id}, ${worker.name}`,
            heapBytes: this.#heapBytes(worker),
          })),
      ],
      files: await this.#files(),
    };
  }

  /** @param {import('../engine/index.js').WorkerHandle} [worker] @returns {number} */
  #heapBytes(worker) {
    if (!worker) return getHeapStatistics().total_heap_size;
    return worker.mailbox.memoryKib * 1024;
  }

  /**
   * Starts a profile. It is done when status() has no `current` any more.
   * @param {unknown} target id of one of status().targets @param {unknown} kind
   * @returns {Promise<Current>}
   * @throws {PitvError} PITV_PROFILE_BUSY, PITV_PROFILE_TARGET, PITV_PROFILE_KIND, PITV_MEMORY_LOW,
   *   PITV_DISK_LOW, PITV_PROFILE_FAILED
   */
  async start(target, kind) {
    if (kind !== 'cpu' && kind !== 'heap') {
      throw new PitvError('PITV_PROFILE_KIND', 'The kind must be "cpu" or "heap".');
    }
    const worker = this.engine.workers.find(({ id }) => target === `worker-${id}`);
    if (target !== 'main' && !worker?.running) {
      const sentence = 'There is no such thread or worker. It may have ended.';
      throw new PitvError('PITV_PROFILE_TARGET', sentence);
    }
    if (this.#current) {
      const sentence = 'Another profile is being taken. Wait until it is done.';
      throw new PitvError('PITV_PROFILE_BUSY', sentence);
    }
    const seconds = kind === 'cpu' ? this.seconds : 0;
    this.#current = { kind, target: String(target), seconds };
    this.#failed = undefined;
    let inspection;
    try {
      inspection = await this.#prepare(kind, worker);
    } catch (error) {
      this.#current = undefined;
      throw error;
    }
    const current = this.#current;
    this.idle = this.#capture(inspection, worker, current);
    return current;
  }

  /** @param {Kind} kind @param {import('../engine/index.js').WorkerHandle} [worker] */
  async #prepare(kind, worker) {
    const heapBytes = Math.max(MIN_HEAP_BYTES, this.#heapBytes(worker));
    const needed = kind === 'heap' ? SNAPSHOT_HEAP_FACTOR * heapBytes : 0;
    const free = this.available();
    if (kind === 'heap' && free < needed + RESERVE_BYTES) {
      const sentence = `A heap snapshot needs ${mib(needed + RESERVE_BYTES)} MiB of memory, and ${mib(free)} MiB are free.`;
      throw new PitvError('PITV_MEMORY_LOW', sentence);
    }
    try {
      await makeDirectory(this.folder);
      const { bavail, bsize } = await statfs(this.folder);
      if (bavail * bsize < needed + RESERVE_BYTES) {
        const sentence = `Only ${mib(bavail * bsize)} MiB are free in ${this.folder}. Delete files first.`;
        throw new PitvError('PITV_DISK_LOW', sentence);
      }
      const files = await this.#files();
      for (const { name } of files.slice(MAX_FILES - 1)) await this.remove(name);
    } catch (error) {
      if (error instanceof PitvError) throw error;
      const sentence = `Nothing can be saved in ${this.folder}: ${messageOf(error)}.`;
      throw new PitvError('PITV_PROFILE_FAILED', sentence, { cause: error });
    }
    const thread = worker ? `worker-${worker.id}-${slugOf(worker.name)}` : 'main';
    const at = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
    this.#currentFile = `${kind}-${thread}-${at}.${EXTENSIONS[kind]}`;
    const path = join(this.folder, this.#currentFile);
    const { seconds, maxBytes } = this;
    return { kind, seconds, path, maxBytes };
  }

  /**
   * @param {import('../engine/worker/capture-inspection.js').Inspection} inspection
   * @param {import('../engine/index.js').WorkerHandle | undefined} worker @param {Current} current
   */
  async #capture(inspection, worker, { target, kind }) {
    try {
      if (worker) await inspectWorker(worker, inspection);
      else {
        // A heap snapshot blocks the main thread, maybe for longer than the service manager's watchdog allows.
        const restore = this.service?.extendWatchdog(LIMITS.snapshotSeconds.value * 1000);
        await captureInspection(inspection).finally(restore);
      }
      this.log.info({ file: inspection.path }, 'a profile was taken');
    } catch (error) {
      this.#failed = { target, kind, message: messageOf(error) };
      this.log.warn({ target, kind, error: messageOf(error) }, 'a profile failed');
    } finally {
      this.#current = undefined;
      this.#currentFile = '';
    }
  }

  /** Lists the complete files. @returns {Promise<File[]>} the newest first */
  async #files() {
    const files = [];
    for (const name of await listNames(this.folder, NAME).catch(() => [])) {
      if (name === this.#currentFile) continue;
      const about = await lstat(join(this.folder, name)).catch(() => undefined);
      if (about?.isFile()) files.push({ name, bytes: about.size, at: Math.round(about.mtimeMs) });
    }
    return files.sort((a, b) => b.at - a.at);
  }

  /** Finds a profile. @param {string} name @returns {Promise<string>} the path @throws {PitvError} PITV_NOT_FOUND */
  async find(name) {
    const file = (await this.#files()).find((each) => each.name === name);
    if (!file) throw new PitvError('PITV_NOT_FOUND', 'There is no such profile.');
    return join(this.folder, file.name);
  }

  /** Deletes a profile. @param {string} name @throws {PitvError} PITV_NOT_FOUND */
  async remove(name) {
    await rm(await this.find(name), { force: true });
  }
}

/** @param {number} bytes */
const mib = (bytes) => Math.round(bytes / MIB);
/** Makes a worker's name fit for a file name. @param {string} name @returns {string} */
const slugOf = (name) =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 32) || 'job';
