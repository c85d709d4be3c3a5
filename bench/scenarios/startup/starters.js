/**
 * The engines with which the `startup` scenario starts workers, and threads and processes without an engine. All have
 * the same contract, so one loop measures them.
 *
 * The thread and process engines have no spare workers. Those of this file exist for a fair comparison with the zygote:
 * a thread or process that has loaded the engine's program and the job's module, and waits for a task.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Engine } from '../../../app/engine/host/engine.js';
import { checkEngineOptions } from '../../../app/engine/host/options.js';
import {
  measureProcesses,
  createSharedMemory,
  defaultSpawnOptions,
} from '../../../app/engine/host/process-worker.js';
import { createEngine } from '../../../app/engine/index.js';
import { follow } from '../../../app/engine/kinds/process.js';
import { launchIn, makePool } from '../../../app/engine/kinds/thread.js';
import { defaultSpares, open as openZygote } from '../../../app/engine/kinds/zygote.js';
import { processTree, readText } from '../../../app/process/process-tree.js';
import { startProcess, startThread } from '../../harness/message-workers.js';

const PROCESS_PROGRAM = fileURLToPath(
  new URL('../../../app/engine/worker/process-entry.js', import.meta.url),
);
const THREAD_PROGRAM = fileURLToPath(new URL('./spare-thread.js', import.meta.url));
const BARE_PROGRAM = new URL('./bare-worker.js', import.meta.url);
/** The process title of a zygote's spare that is ready (app/engine/zygote/inside/entry.js). */
const SPARE_TITLE = 'pitv:spare';
const OWN_GAME = new URL('../../../app/games/swarm.js', import.meta.url);
/** What the job imports. */
const KERNEL = [
  'app/games/collide.js',
  'app/game',
  'app/errors.js',
  'app/errors',
  'app/options.js',
  'package.json',
].map((path) => fileURLToPath(new URL(`../../../${path}`, import.meta.url)));
const SPARE_POLL_MS = 20;
const SPARE_TIMEOUT_MS = 60_000;
/** How workers without an engine are started, by level of a configuration. */
export const BARE_LEVELS = Object.freeze(['thread', 'process']);

/**
 * @typedef {object} Starter
 * @property {StarterEngine} engine
 * @property {() => Promise<import('../../../app/engine/index.js').StartOptions>} prepare prepares a start, and returns
 *   its options
 *
 * @typedef {object} StarterEngine what the scenario uses of an engine
 * @property {(module: URL, options: import('../../../app/engine/index.js').StartOptions) => Promise<Started>} start
 * @property {(mailbox: any) => void} [freeMailbox]
 * @property {() => Promise<unknown>} close
 *
 * @typedef {object} Started a worker
 * @property {number} pid @property {any} [mailbox] @property {{spawnMs: number, readyMs: number}} startup
 * @property {() => Promise<unknown>} stop
 *
 * @typedef {object} Job
 * @property {URL} url @property {import('../../../app/engine/mailbox/mailbox.js').MailboxSizes} sizes
 */

/**
 * Opens an engine that prepares nothing for a worker.
 * @param {string} name @param {Job} job @returns {Promise<Starter>}
 */
export async function openOnDemand(name, { url, sizes }) {
  const options = { modules: [url], thorough: true };
  const engine =
    name === 'zygote'
      ? await openZygote(checkEngineOptions(options), { spares: 0 })
      : await createEngine(name, options);
  return { engine, prepare: async () => ({ sizes }) };
}

/**
 * Opens an engine with one spare worker. For the zygote, this is the engine of the TV.
 * @param {string} name @param {Job} job @returns {Promise<Starter>}
 */
export async function openWithSpare(name, job) {
  if (name === 'thread') return openSpareThreads(job);
  if (name === 'process') return openSpareProcesses(job);
  return openLikeTv(name, job);
}

/**
 * Opens an engine as the TV does. The zygote has its spares.
 * @param {string} name @param {Job} job @returns {Promise<Starter>}
 */
export async function openLikeTv(name, { url, sizes }) {
  const engine = await createEngine(name, { modules: [url], thorough: true });
  const prepare = async () => {
    if (name === 'zygote') await waitForSpares();
    return { sizes };
  };
  return { engine, prepare };
}

/**
 * Opens an engine as the TV does, for a locked worker whose module is that of a stranger: it is not in the zygote,
 * which has loaded another game.
 * @param {string} name @param {Job} job @returns {Promise<Starter>}
 */
export async function openLocked(name, { url, sizes }) {
  const { engine, prepare } = await openLikeTv(name, { url: OWN_GAME, sizes });
  const lock = { readable: [fileURLToPath(new URL('.', url)), ...KERNEL] };
  return { engine, prepare: async () => ({ ...(await prepare()), lock }) };
}

/** Returns the pids of the zygote's spares among the descendants of this process. @returns {number[]} */
export function sparePids() {
  const titleOf = (/** @type {number} */ pid) => readText(`/proc/${pid}/cmdline`)?.split('\0')[0];
  return processTree().filter((pid) => titleOf(pid) === SPARE_TITLE);
}

/** Waits until the zygote's spares are ready. */
async function waitForSpares() {
  const until = performance.now() + SPARE_TIMEOUT_MS;
  while (sparePids().length < defaultSpares()) {
    if (performance.now() > until) throw new Error('the zygote did not fork its spares');
    await sleep(SPARE_POLL_MS);
  }
}

/** @param {Job} job @returns {Starter} */
function openSpareThreads({ sizes }) {
  const options = checkEngineOptions({});
  /** @type {ReturnType<typeof makePool> | undefined} */
  let spare;
  const engine = new Engine(
    {
      name: 'thread',
      ownProcess: false,
      share: (bytes) => ({ memory: new SharedArrayBuffer(bytes), free() {} }),
      launch: (request) => launchIn(/** @type {NonNullable<typeof spare>} */ (spare), request),
      stats: async () => [],
    },
    options,
  );
  const prepare = async () => {
    spare = makePool(options.heapMb, { filename: THREAD_PROGRAM, minThreads: 1 });
    await spare.run(undefined, { name: 'ping' });
    return { sizes };
  };
  return { engine, prepare };
}

/** @param {Job} job @returns {Starter} */
function openSpareProcesses({ url, sizes }) {
  const options = checkEngineOptions({});
  const execArgv = [...defaultSpawnOptions(options).execArgv, '--import', url.href];
  /** @type {import('../../../app/engine/host/launcher.js').SharedMemory} */
  let latest;
  /** @type {Map<object, import('node:child_process').ChildProcess>} by the mailbox's memory */
  const spares = new Map();
  const engine = new Engine(
    {
      name: 'process',
      ownProcess: true,
      share: (bytes) => (latest = createSharedMemory(bytes)),
      launch: ({ shared, ...request }) => {
        const child = /** @type {import('node:child_process').ChildProcess} */ (spares.get(shared));
        spares.delete(shared);
        const launch = follow(child, request, options);
        child.send({ task: request.task, memoryMb: options.memoryMb });
        return launch;
      },
      stats: measureProcesses,
      close: async () => spares.forEach((child) => child.kill('SIGKILL')),
    },
    options,
  );
  const prepare = async () => {
    const mailbox = engine.createMailbox(sizes); // before the fork, because the child inherits its descriptor
    const child = fork(PROCESS_PROGRAM, [String(process.pid), 'waiting'], {
      execArgv,
      serialization: 'advanced',
      stdio: ['ignore', 'inherit', 'inherit', 'ipc', /** @type {number} */ (latest.fd)],
    });
    spares.set(latest, child);
    await Promise.race([once(child, 'message'), failedToStart(child)]); // until it waits for a task
    return { mailbox };
  };
  return { engine, prepare };
}

/** @param {import('node:child_process').ChildProcess} child @returns {Promise<never>} */
async function failedToStart(child) {
  const [code, signal] = await once(child, 'exit');
  throw new Error(`the process ended with ${signal ?? `code ${code}`} before it was ready`);
}

/**
 * Starts workers without an engine, in Node.js, Bun and Deno.
 * @param {string} level one of BARE_LEVELS
 * @returns {Starter}
 */
export function openBare(level) {
  const launch = level === 'thread' ? startThread : startProcess;
  return {
    engine: {
      async start(url, { options }) {
        const began = performance.now();
        const worker = launch(BARE_PROGRAM);
        const spawnMs = performance.now() - began;
        const ready = new Promise((resolve) => worker.listen(resolve));
        worker.send({ url: String(url), options });
        await ready;
        const startup = { spawnMs, readyMs: performance.now() - began };
        return { pid: worker.pid, startup, stop: () => worker.end() };
      },
      async close() {},
    },
    prepare: async () => ({}),
  };
}
