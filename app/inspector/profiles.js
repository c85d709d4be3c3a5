/**
 * Profiles of the TV that runs: a CPU profile or a heap snapshot of its main thread or of one worker,
 * one at a time, kept in the data directory for Chrome's DevTools. The newest few are kept.
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
const SECONDS = 10;
const KEPT = 4;
const MIB = 1024 * 1024;
const MAX_BYTES = 256 * MIB;
/** A snapshot takes about as much again as the heap, and its file up to twice that. */
const HEAP_TIMES = 3;
const RESERVE_BYTES = 64 * MIB;
/** A worker tells its heap twice a second; one that has just started has not yet. */
const MIN_HEAP_BYTES = 16 * MIB;

const ENDING = Object.freeze({ cpu: 'cpuprofile', heap: 'heapsnapshot' });
const NAME = /^(cpu|heap)-(main|worker-\d{1,9}(-[a-z0-9-]{1,32})?)-\d{8}T\d{6}Z\.\w+$/;

/** @param {string} dataDir @returns {string} where they are kept, and where workers are asked for them */
export const profilesFolder = (dataDir) => join(dataDir, PROFILES);

/**
 * @typedef {keyof typeof ENDING} Kind
 * @typedef {{kind: Kind, target: string, startedAt: number, seconds: number}} Current startedAt: ms since
 *   1970; seconds: 0 when it cannot be told
 * @typedef {{name: string, bytes: number, at: number}} File at: ms since 1970
 */

export class RunningProfiles {
  /** @type {Current | undefined} */
  #current;
  /** The file that is not whole yet. */
  #taking = '';
  /** @type {{target: string, kind: Kind, message: string} | undefined} */
  #failed;
  /** @type {Promise<void>} */
  #done = Promise.resolve();

  /**
   * @param {object} options
   * @param {string} options.folder
   * @param {import('../engine/index.js').Engine | import('../engine/lazy-engine.js').LazyEngine} options.engine made with this folder as inspectDir
   * @param {import('pino').BaseLogger} options.log
   * @param {number} [options.seconds] of a CPU profile
   * @param {number} [options.maxBytes]
   * @param {() => number} [options.available] bytes of memory
   * @param {Pick<import('../system/service.js').Service, 'extendWatchdog'>} [options.service] which ends the
   *   TV when the main thread stands still
   */
  constructor({ folder, engine, log, seconds, maxBytes, available, service }) {
    this.folder = folder;
    this.engine = engine;
    this.log = log;
    this.seconds = seconds ?? SECONDS;
    this.maxBytes = maxBytes ?? MAX_BYTES;
    this.available = available ?? availableBytes;
    this.service = service;
  }

  /** @returns {Promise<void>} resolves when nothing is being taken any more */
  get idle() {
    return this.#done;
  }

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
   * Begins; whether it is done is told by status().
   * @param {unknown} target one of status().targets @param {unknown} kind
   * @returns {Promise<Current>}
   * @throws {PitvError} PITV_PROFILE_BUSY, PITV_PROFILE_TARGET, PITV_PROFILE_KIND, PITV_MEMORY_LOW,
   *   PITV_DISK_LOW, PITV_PROFILE_FAILED
   */
  async start(target, kind) {
    if (kind !== 'cpu' && kind !== 'heap') {
      throw new PitvError('PITV_PROFILE_KIND', 'What is wanted may be "cpu" or "heap".');
    }
    const worker = this.engine.workers.find(({ id }) => target === `worker-${id}`);
    if (target !== 'main' && !worker?.running) {
      throw new PitvError('PITV_PROFILE_TARGET', 'There is no such thread or worker (any more).');
    }
    if (this.#current) {
      throw new PitvError('PITV_PROFILE_BUSY', 'One is being taken already; wait for its end.');
    }
    const seconds = kind === 'cpu' ? this.seconds : 0;
    this.#current = { kind, target: String(target), startedAt: Date.now(), seconds };
    this.#failed = undefined;
    let inspection;
    try {
      inspection = await this.#prepare(kind, worker);
    } catch (error) {
      this.#current = undefined;
      throw error;
    }
    const current = this.#current;
    this.#done = this.#take(inspection, worker, current);
    return current;
  }

  /** @param {Kind} kind @param {import('../engine/index.js').WorkerHandle} [worker] */
  async #prepare(kind, worker) {
    const heapBytes = Math.max(MIN_HEAP_BYTES, this.#heapBytes(worker));
    const needed = kind === 'heap' ? HEAP_TIMES * heapBytes : 0;
    const free = this.available();
    if (kind === 'heap' && free < needed + RESERVE_BYTES) {
      throw new PitvError(
        'PITV_MEMORY_LOW',
        `A heap snapshot would need ${mib(needed + RESERVE_BYTES)} MiB of memory, and ${mib(free)} are free.`,
      );
    }
    try {
      await makeDirectory(this.folder);
      const { bavail, bsize } = await statfs(this.folder);
      if (bavail * bsize < needed + RESERVE_BYTES) {
        throw new PitvError(
          'PITV_DISK_LOW',
          `Only ${mib(bavail * bsize)} MiB are free in ${this.folder}; delete something first.`,
        );
      }
      const files = await this.#files();
      for (const { name } of files.slice(KEPT - 1)) await this.remove(name);
    } catch (error) {
      if (error instanceof PitvError) throw error;
      const sentence = `Nothing can be kept in ${this.folder}: ${messageOf(error)}.`;
      throw new PitvError('PITV_PROFILE_FAILED', sentence, { cause: error });
    }
    const who = worker ? `worker-${worker.id}-${plain(worker.name)}` : 'main';
    const at = new Date().toISOString().replace(/[-:]|\.\d+/g, '');
    this.#taking = `${kind}-${who}-${at}.${ENDING[kind]}`;
    const path = join(this.folder, this.#taking);
    const { seconds, maxBytes } = this;
    return { kind, seconds, path, maxBytes };
  }

  /**
   * @param {import('../engine/worker/capture-inspection.js').Inspection} inspection
   * @param {import('../engine/index.js').WorkerHandle | undefined} worker @param {Current} current
   */
  async #take(inspection, worker, { target, kind }) {
    try {
      if (worker) await inspectWorker(worker, inspection);
      else await this.#takeHere(inspection);
      this.log.info({ file: inspection.path }, 'a profile was taken');
    } catch (error) {
      this.#failed = { target, kind, message: messageOf(error) };
      this.log.warn({ target, kind, error: messageOf(error) }, 'no profile could be taken');
    } finally {
      this.#current = undefined;
      this.#taking = '';
    }
  }

  /**
   * Inspects the main thread. A heap snapshot stops it until the snapshot is written, which may take longer
   * than the service manager's watchdog allows.
   * @param {import('../engine/worker/capture-inspection.js').Inspection} inspection
   */
  async #takeHere(inspection) {
    const restore = this.service?.extendWatchdog(LIMITS.snapshotSeconds.value * 1000);
    try {
      await captureInspection(inspection);
    } finally {
      restore?.();
    }
  }

  /** @returns {Promise<File[]>} the newest first */
  async #files() {
    const files = [];
    for (const name of await listNames(this.folder, NAME).catch(() => [])) {
      if (name === this.#taking) continue;
      const about = await lstat(join(this.folder, name)).catch(() => undefined);
      if (about?.isFile()) files.push({ name, bytes: about.size, at: Math.round(about.mtimeMs) });
    }
    return files.sort((a, b) => b.at - a.at);
  }

  /**
   * @param {string} name @returns {Promise<string>} the path
   * @throws {PitvError} PITV_NOT_FOUND
   */
  async find(name) {
    const file = (await this.#files()).find((each) => each.name === name);
    if (!file) throw new PitvError('PITV_NOT_FOUND', 'There is no such profile.');
    return join(this.folder, file.name);
  }

  /** @param {string} name @throws {PitvError} PITV_NOT_FOUND */
  async remove(name) {
    await rm(await this.find(name), { force: true });
  }
}

/** @param {number} bytes */
const mib = (bytes) => Math.round(bytes / MIB);
/** @param {string} name @returns {string} fit for a file's name */
const plain = (name) =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 32) || 'job';
