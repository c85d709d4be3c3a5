/** The module that a pool's zygote loads. Each child is a worker, which runs tasks until it ends. */
import { lockFork } from '../../engine/lock.js';
import { ignoreGroupSignals, makeExpendable } from '../../engine/worker/process-setup.js';
import { native } from '../../native/native.js';
import * as clones from '../clones.js';
import { useClones } from '../transport/codec.js';
import { KIND, linkBytes, ringsOf, viewOfAll } from '../transport/layout.js';
import { Receiver, Sender } from '../transport/messages.js';
import { preload, settleExports } from './handlers.js';
import { watchOutput } from './output.js';
import { serveProcess, showAsWorker, watchEnd } from './serve-process.js';
import { TaskServer } from './task-server.js';

const addon = native();
const REHEARSAL_RING_BYTES = 4096;
const REHEARSED_TASKS = 20;
const ECHO = 'data:text/javascript,export default (task) => task';

useClones(clones); // the children of the zygote have it

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
  await rehearseTasks();
  watchEnd();
}

/**
 * Serves tasks in a child.
 * @param {{start: import('./task-server.js').Start, lock?: import('../../engine/lock.js').Lock,
 *   env: [name: string, value: string | undefined][]}} args env: changes since the zygote started
 * @param {import('../../engine/zygote/inside/worker.js').Worker} worker
 */
export default async function run({ start, lock, env }, worker) {
  process.execArgv = givenExecArgv;
  for (const [name, value] of env) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
  await serveProcess(start, worker, lock && (() => lockFork(lock)));
}

/** Is thrown out of the last wait, which in a child would block. */
class Rehearsed extends Error {}

/** Runs the worker's code with tasks of several kinds of values, so that V8 compiles it for all children. */
async function rehearseTasks() {
  const ringBytes = REHEARSAL_RING_BYTES;
  const view = viewOfAll(addon.createMemory(linkBytes(ringBytes)).buffer);
  const { requests, responses } = ringsOf(view, ringBytes);
  const sender = new Sender(requests, () => {});
  const receiver = new Receiver(responses, () => {});
  const bytes = new Uint8Array(64);
  const values = [undefined, 1, { bytes, text: 'rehearsal' }, bytes, [1, 2, 3], 'text'];
  let sent = 0;
  const send = (/** @type {number} */ kind, /** @type {any} */ value) =>
    sender.send(kind, ++sent, 0, value);
  const start = { ringBytes, filename: ECHO, name: 'default', concurrency: 1, blocks: true };
  const server = new TaskServer(
    view,
    { ...start, niceIncrement: 0, workerData: undefined },
    {
      block() {
        while (receiver.next()) {
          receiver.decode();
          receiver.free();
        }
        if (sent > REHEARSED_TASKS) throw new Rehearsed();
        send(KIND.task, values[sent % values.length]);
      },
      wakePool() {},
      onWake() {},
    },
  );
  send(KIND.handler, Buffer.from(JSON.stringify({ filename: ECHO, name: 'default' })));
  await server.serve().catch((error) => {
    if (!(error instanceof Rehearsed)) throw error;
  });
}
