/**
 * Forks of a zygote. One process loads the worker's code and the job modules ahead and lets them warm
 * up; a worker is a fork of it: a process of its own that is there at once, and shares all the memory
 * that it does not write to. How that works is told in zygote/README.md.
 *
 * When the zygote dies, workers go on, and the next one is warmed up at once; a start asked for
 * meanwhile waits. While none can be warmed up, or zygotes die again and again, workers are ordinary
 * processes.
 */
import { isMainThread } from 'node:worker_threads';
import { PitvError, messageOf } from '../../errors.js';
import { restoreFailure } from '../failure.js';
import { Engine } from '../host/engine.js';
import {
  processStats,
  ranOutOfMemory,
  shareMemory,
  spawnOptions,
  tailOf,
} from '../host/process-worker.js';
import { native } from '../../native/native.js';
import { launch as launchProcess } from './process.js';
import { createZygote } from '../zygote/index.js';

/** @typedef {import('../host/options.js').CheckedEngineOptions} EngineOptions */
/** @typedef {import('../host/engine.js').Launch} Launch */
/** @typedef {import('../host/engine.js').LaunchRequest} LaunchRequest */
/** @typedef {import('../zygote/index.js').Zygote} Zygote */

const MODULE = new URL('../worker/zygote-entry.js', import.meta.url);

/**
 * @param {EngineOptions} options
 * @throws {PitvError} PITV_ENGINE_UNSUPPORTED
 */
export async function open(options) {
  const { heapMb, memoryMb } = options;
  const base = spawnOptions({ heapMb });
  const spawn = options.spawn ? options.spawn(base) : base;
  const { log } = options;
  const { addon, zygote } = await warmUp(options, spawn);
  /** @param {LaunchRequest} request */
  const instead = (request) => {
    log?.warn({ name: request.name }, 'worker started as an ordinary process');
    return launchProcess(request, memoryMb, spawn, log);
  };
  return new Engine(
    {
      name: 'zygote',
      ownProcess: true,
      share: (bytes) => shareMemory(addon, bytes),
      launch: (request) => withFallback(launch(zygote, request, memoryMb, log), request, instead),
      stats: processStats,
      close: () => zygote.close(),
    },
    options,
  );
}

/** @param {EngineOptions} options @param {import('../host/process-worker.js').SpawnOptions} spawn */
async function warmUp(options, spawn) {
  if (process.platform !== 'linux' || !isMainThread) {
    const sentence = 'The zygote engine needs Linux and the main thread of a process.';
    throw new PitvError('PITV_ENGINE_UNSUPPORTED', sentence);
  }
  try {
    const { modules } = options;
    const zygote = await createZygote(MODULE, {
      name: 'pitv:zygote',
      args: { modules },
      draft: { modules },
      flags: spawn.execArgv,
      env: { ...process.env, ...spawn.env },
      around: spawn.around,
    });
    report(zygote, options.log);
    if (options.thorough) await zygote.ready({ thorough: true });
    return { addon: native(), zygote };
  } catch (cause) {
    const sentence = `The zygote engine does not work here: ${messageOf(cause)}`;
    throw new PitvError('PITV_ENGINE_UNSUPPORTED', sentence, { cause });
  }
}

/**
 * Has the log say what becomes of the zygote.
 * @param {Zygote} zygote @param {EngineOptions['log']} log
 */
function report(zygote, log) {
  log?.info({ pid: zygote.pid }, 'zygote ready');
  zygote.on('ready', ({ warnings, ...about }) => {
    log?.info(about, 'zygote ready');
    for (const warning of warnings) log?.warn({ pid: about.pid }, warning);
  });
  zygote.on('died', (about) => log?.warn(about, 'zygote died; another one is being warmed up'));
  zygote.on('failed', (err) => log?.error({ err }, 'no zygote: workers are ordinary processes'));
}

/**
 * @param {Zygote} zygote @param {LaunchRequest} request @param {number} memoryMb
 * @param {EngineOptions['log']} log
 * @returns {Launch}
 */
function launch(zygote, { name, task, shared }, memoryMb, log) {
  const child = zygote.begin(
    { task },
    {
      name: `pitv:${name}`,
      memoryMb,
      stdio: ['inherit', 'inherit', 'pipe'],
      descriptors: [/** @type {number} */ (shared.fd)],
    },
  );
  /** @type {Error | undefined} */
  let failure;
  const ready = new Promise((resolve, reject) => {
    child.on('message', (message) => {
      if (message?.ready) resolve({});
      else reject((failure = restoreFailure(message?.failed)));
    });
    child.started.catch((error) => reject((failure = error)));
    child.exited.then(() => reject(new Error('it ended before it was ready.')));
  });
  ready.catch(() => {});
  const lastWords = tailOf(child.stderr, (text) => {
    if (log) log.warn({ name, pid: child.pid }, text.trimEnd());
    else process.stderr.write(text);
  });
  const ended = child.exited.then(async ({ code, signal, error = failure }) => {
    const said = `${await lastWords()}\n${error?.message}`;
    return { code, signal, error, outOfMemory: ranOutOfMemory(said) };
  });
  return {
    get pid() {
      return child.pid;
    },
    threadId: 0,
    ready,
    ended,
    kill: () => void child.kill(),
  };
}

/**
 * @param {Launch} first @param {LaunchRequest} request
 * @param {(request: LaunchRequest) => Launch} instead
 * @returns {Launch}
 */
function withFallback(first, request, instead) {
  let current = first;
  let killed = false;
  const second = first.ready.then(
    () => undefined,
    async (error) => {
      await first.ended;
      if (killed || Reflect.get(Object(error), 'code') !== 'PITV_ZYGOTE_FAILED') throw error;
      return (current = instead(request));
    },
  );
  const ready = second.then((other) => (other ?? first).ready);
  ready.catch(() => {});
  return {
    get pid() {
      return current.pid;
    },
    threadId: 0,
    ready,
    ended: first.ended.then(async (end) => (await second.catch(() => undefined))?.ended ?? end),
    kill() {
      killed = true;
      current.kill();
    },
  };
}
