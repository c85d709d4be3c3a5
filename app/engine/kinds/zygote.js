/**
 * Runs each worker as a fork of a zygote. The zygote is a process that has loaded and warmed up the worker's code and
 * the job modules. A fork starts within milliseconds and shares all memory that it does not write to. See
 * zygote/README.md.
 *
 * When the zygote dies, its workers continue and a new zygote is warmed up; a start waits for it. Workers are ordinary
 * processes while no zygote can be warmed up or zygotes die repeatedly, and so are the workers of a module that fails
 * when it is warmed up.
 */
import os from 'node:os';
import { PitvError, messageOf } from '../../errors.js';
import { Engine } from '../host/engine.js';
import {
  createSharedMemory,
  endOfProcess,
  logStderr,
  spawnOptionsOf,
} from '../host/process-worker.js';
import { limitProcess } from '../host/control-groups.js';
import { KIND } from '../zygote/channel.js';
import { checkRequirements, launch as launchProcess } from './process.js';
import { createZygote } from '../zygote/index.js';

/** @typedef {import('../host/options.js').CheckedEngineOptions} EngineOptions */
/** @typedef {import('../host/launcher.js').Launch} Launch */
/** @typedef {import('../host/launcher.js').LaunchRequest} LaunchRequest */
/** @typedef {import('../zygote/index.js').Zygote} Zygote */

/** Two matches may start one after the other. A board with little memory has one spare. */
const SPARES = 2;
const SMALL_BYTES = 384 * 1024 * 1024;
export const defaultSpares = () => (os.totalmem() < SMALL_BYTES ? 1 : SPARES);

const MODULE = new URL('../worker/zygote-entry.js', import.meta.url);

/**
 * Opens the engine.
 * @param {EngineOptions} options
 * @param {{spares?: number}} [how] spares: children that are forked ahead
 * @throws {PitvError} PITV_ENGINE_UNSUPPORTED
 */
export async function open(options, { spares = defaultSpares() } = {}) {
  const { memoryMb, log } = options;
  /** Modules that could not be warmed up, by URL. @type {string[]} */
  const broken = [];
  const zygote = await openZygote(options, spares, broken);
  /** @param {LaunchRequest} request */
  const launchFallback = (request) => {
    if (!broken.includes(request.task.moduleUrl)) {
      log?.warn({ name: request.name }, 'worker started as an ordinary process');
    }
    return launchProcess(request, options);
  };
  return new Engine(
    {
      name: 'zygote',
      ownProcess: true,
      share: createSharedMemory,
      launch: (request) =>
        withFallback(launch(zygote, request, memoryMb, log), () => launchFallback(request)),
      close: () => zygote.close(),
    },
    options,
  );
}

/**
 * Creates the zygote. Resolves when it can fork.
 * @param {EngineOptions} options @param {number} spares
 * @param {string[]} broken is filled with the modules that cannot be warmed up; later zygotes leave them out
 * @throws {PitvError} PITV_ENGINE_UNSUPPORTED
 */
async function openZygote(options, spares, broken) {
  checkRequirements('zygote');
  try {
    const { modules } = options;
    const spawn = spawnOptionsOf(options);
    const zygote = await createZygote(MODULE, {
      name: 'pitv:zygote',
      args: { modules, broken },
      draft: { modules, broken },
      spares,
      flags: spawn.execArgv,
      env: { ...process.env, ...spawn.env },
      around: spawn.around,
    });
    zygote.on('ready', ({ warnings }) => {
      const isNamed = (/** @type {string} */ url) =>
        warnings.some((/** @type {string} */ warning) => warning.startsWith(`${url} `));
      broken.push(...modules.filter(isNamed));
    });
    logEvents(zygote, options.log);
    if (options.thorough) await zygote.ready({ thorough: true });
    return zygote;
  } catch (cause) {
    const sentence = `The zygote engine does not work here: ${messageOf(cause)}`;
    throw new PitvError('PITV_ENGINE_UNSUPPORTED', sentence, { cause });
  }
}

/** Logs the events of the zygote. @param {Zygote} zygote @param {EngineOptions['log']} log */
function logEvents(zygote, log) {
  log?.info({ pid: zygote.pid }, 'zygote ready');
  zygote.on('ready', ({ warnings, ...about }) => {
    log?.info(about, 'zygote ready');
    for (const warning of warnings) log?.warn({ pid: about.pid }, warning);
  });
  zygote.on('died', (about) => log?.warn(about, 'zygote died; another one is being warmed up'));
  zygote.on('failed', (err) => log?.error({ err }, 'no zygote: workers are ordinary processes'));
}

/**
 * Forks a worker.
 * @param {Zygote} zygote @param {LaunchRequest} request @param {number} memoryMb
 * @param {EngineOptions['log']} log
 * @returns {Launch}
 */
function launch(zygote, { name, task, shared, warn, output }, memoryMb, log) {
  const child = zygote.begin(
    { task },
    {
      name: `pitv:${name}`,
      memoryMb,
      stdio: task.lock ? ['ignore', 'ignore', 'pipe'] : ['inherit', 'inherit', 'pipe'],
      descriptors: [/** @type {number} */ (shared.fd)],
      messages: false,
      endsWithZygote: Boolean(task.lock),
    },
  );
  if (task.lock) {
    child.started.then(
      () => limitProcess(child.pid, memoryMb, child.exited, log),
      () => {}, // reported below
    );
  }
  /** @type {Error | undefined} */
  let failure;
  const ready = new Promise((resolve, reject) => {
    child.on('report', (kind, text) => {
      if (kind === KIND.ready) resolve({});
      else if (kind === KIND.warning) warn(text);
      else if (kind === KIND.output) output(text);
      else if (kind === KIND.leftOut) {
        reject((failure = task.lock ? falseReport(name) : notWarm(name)));
        child.kill(); // its word that it ends is not enough
      }
    });
    child.started.catch((error) => reject((failure = error)));
    child.exited.then(({ error }) => reject(error ?? new Error('it exited before it was ready.')));
  });
  ready.catch(() => {});
  const readStderr = logStderr(child, name, log, Boolean(task.lock));
  const exited = child.exited.then((exit) => ({ ...exit, error: exit.error ?? failure }));
  const ended = endOfProcess(exited, readStderr);
  return {
    get pid() {
      return child.pid;
    },
    ready,
    ended,
    kill: () => void child.kill(),
  };
}

/** Makes the error for a job whose module is not in the zygote. @param {string} name */
const notWarm = (name) =>
  new PitvError('PITV_ZYGOTE_FAILED', `The zygote has not loaded the module of "${name}".`);

/** Makes the error for a locked worker, whose module no zygote loads. @param {string} name */
const falseReport = (name) =>
  new PitvError('PITV_ZYGOTE_MESSAGE', `A message cannot be read: "${name}" cannot be left out.`);

/**
 * Launches the worker as an ordinary process if its fork fails because there is no zygote, or its module is not in it.
 * @param {Launch} fork
 * @param {() => Launch} launchFallback
 * @returns {Launch} stands for the fork, and for the process once it has been launched
 */
function withFallback(fork, launchFallback) {
  let current = fork;
  let killed = false;
  const fallback = fork.ready.then(
    () => undefined,
    async (error) => {
      await fork.ended;
      // A game may report an error with this code, but not one of this class.
      const hasNoZygote = error instanceof PitvError && error.code === 'PITV_ZYGOTE_FAILED';
      if (killed || !hasNoZygote) throw error;
      return (current = launchFallback());
    },
  );
  const ready = fallback.then((launch) => (launch ?? fork).ready);
  ready.catch(() => {});
  return {
    get pid() {
      return current.pid;
    },
    ready,
    ended: fork.ended.then(async (end) => (await fallback.catch(() => undefined))?.ended ?? end),
    kill() {
      killed = true;
      current.kill();
    },
  };
}
