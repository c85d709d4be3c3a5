/**
 * The engines with which the `startup` scenario starts workers, and threads and processes without an engine. All have
 * the same contract, so one loop measures them.
 *
 * The thread and process engines have no spare workers. For a comparison with the zygote, those without an engine have:
 * a thread or process that has loaded the job's module, and waits for its options.
 */
import { fileURLToPath } from 'node:url';
import { checkEngineOptions } from '../../../app/engine/host/options.js';
import { createEngine } from '../../../app/engine/index.js';
import { defaultSpares, open as openZygote } from '../../../app/engine/kinds/zygote.js';
import { processTree, readText } from '../../../app/process/process-tree.js';
import { startProcess, startThread } from '../../harness/message-workers.js';
import { poll } from '../../harness/polling.js';

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
 * @typedef {import('../../harness/message-workers.js').MessageWorker} MessageWorker
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
 * Opens what has one spare worker: the engine of the TV for the zygote, threads or processes without an engine.
 * @param {string} name @param {Job} job @returns {Promise<Starter>}
 */
export const openWithSpare = async (name, job) =>
  name === 'zygote' ? openLikeTv(name, job) : openBare(name, job.url);

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
  const areReady = () => sparePids().length >= defaultSpares();
  const found = await poll(areReady, SPARE_TIMEOUT_MS, SPARE_POLL_MS);
  if (!found) throw new Error('the zygote did not fork its spares');
}

/**
 * Starts workers without an engine, in Node.js, Bun and Deno.
 * @param {string} level one of BARE_LEVELS
 * @param {URL} [loaded] module that a worker has loaded before it is started
 * @returns {Starter}
 */
export function openBare(level, loaded) {
  const launch = () => (level === 'thread' ? startThread : startProcess)(BARE_PROGRAM);
  const ask = (/** @type {MessageWorker} */ worker, /** @type {object} */ message) =>
    new Promise((resolve) => {
      worker.listen(resolve);
      worker.send(message);
    });
  /** @type {MessageWorker | undefined} */
  let spare;
  return {
    engine: {
      async start(url, { options }) {
        const began = performance.now();
        const worker = spare ?? launch();
        const spawnMs = performance.now() - began;
        await ask(worker, { url: String(url), options });
        const startup = { spawnMs, readyMs: performance.now() - began };
        return { pid: worker.pid, startup, stop: () => worker.end() };
      },
      async close() {},
    },
    async prepare() {
      if (loaded) {
        spare = launch();
        await ask(spare, { url: String(loaded) });
      }
      return {};
    },
  };
}
