/** The module that a pool's zygote loads. Each child is a worker, which runs tasks until it ends. */
import { lockFork } from '../../engine/worker/lock.js';
import { ignoreGroupSignals, makeExpendable } from '../../engine/worker/process-setup.js';
import { native } from '../../native/native.js';
import { linkBytes } from '../transport/layout.js';
import { preload, settleExports } from './handlers.js';
import { watchOutput } from './output.js';
import { rehearseTasks } from './rehearse.js';
import { serveProcess, showAsWorker, watchEnd } from './serve-process.js';

const addon = native();
const REHEARSAL_RING_BYTES = 4096;
/** See compileEagerly(). */
export const isPatient = false;

/** @type {string[]} */
let givenExecArgv = [];

/**
 * Loads the pool's module, and calls its warm(). A module that fails is left to the workers, which report the error.
 * @param {{filename: string | null, workerData: any, argv: string[], execArgv: string[]}} args filename null: nothing
 *   is loaded ahead, or the module is of others and must be locked
 */
export async function warm({ filename, workerData, argv, execArgv }) {
  process.argv.push(...argv);
  watchOutput();
  givenExecArgv = execArgv;
  makeExpendable();
  ignoreGroupSignals();
  showAsWorker(workerData); // before the module asks
  if (filename !== null) {
    const module = await preload(filename).catch(() => undefined);
    await (module?.warm ?? module?.default?.warm)?.();
    if (module) await settleExports(module);
  }
  // Runs the worker's code, so that V8 compiles it for all children.
  const { buffer } = addon.createMemory(linkBytes(REHEARSAL_RING_BYTES));
  await rehearseTasks(buffer, REHEARSAL_RING_BYTES);
  watchEnd();
}

/**
 * Serves tasks in a child.
 * @param {{start: import('./task-server.js').Start, lock?: import('../../engine/lock-support.js').Lock,
 *   env: [name: string, value: string | undefined][]}} args env: changes since the zygote started
 * @param {import('../../engine/zygote/inside/worker.js').Worker} worker
 */
export default async function run({ start, lock, env }, worker) {
  process.execArgv = givenExecArgv;
  for (const [name, value] of env) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
  await serveProcess(start, worker.descriptors, worker, lock && (() => lockFork(lock)));
}
