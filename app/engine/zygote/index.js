/**
 * A fork server for Node.js. One process, the zygote, loads a module and has it warm up. Every child is a fork of it:
 * a separate process that starts within milliseconds and shares all memory that it does not write to. See README.md.
 *
 *   const zygote = await createZygote(new URL('./module.js', import.meta.url), { args: { size: 9 } });
 *   const child = await zygote.fork({ seed: 1 }, { name: 'first' });
 *   child.on('message', (value) => {});
 *   child.send({ hello: 'child' });
 *   child.on('exit', ({ code, signal }) => {});
 *   await zygote.close();
 *
 * The module:
 *
 *   export async function warm(args, { keep }) {}   // optional; runs in the zygote
 *   export default async function run(args, worker) {}   // runs in each child
 */
import '../../native/refuse-bundle.js';
import { PitvError } from '../../errors.js';
import { checkValue, url } from '../../options.js';
import { checkZygoteOptions } from './options.js';
import { Zygote } from './zygote.js';

export { PitvError } from '../../errors.js';
export { Zygote } from './zygote.js';

/** @typedef {import('./options.js').ForkOptions} ForkOptions */
/** @typedef {import('./records.js').ForkedExit} ForkedExit */
/** @typedef {import('./forked-process.js').ForkedProcess} ForkedProcess */
/** @typedef {import('./inside/worker.js').Worker} Worker */

/**
 * @typedef {object} ZygoteOptions
 * @property {unknown} [args] for the module's warm()
 * @property {unknown} [draft] for the warm() of a draft: a first zygote that is used until the one with `args` is
 *   ready. For modules whose warm() takes long
 * @property {boolean} [rehearse] whether code that runs in every child is compiled before the first fork, which takes
 *   some hundred milliseconds; default true
 * @property {string} [name] process title of the zygote; default 'zygote'
 * @property {number} [spares] children that are forked in advance, so that a start does not wait for fork(), 0..8;
 *   default 1. Each uses a few hundred KiB
 * @property {boolean} [ownSession] whether zygote and children are a session of their own, which Linux gives its own
 *   share of a busy machine (autogroups in sched(7)); default true. False for children that answer this process all the
 *   time: across sessions that takes twice as long on a busy machine
 * @property {string[]} [flags] further options of Node and V8 for the zygote and its children
 * @property {NodeJS.ProcessEnv} [env] of the zygote and its children; default process.env
 * @property {import('./options.js').Stdio[]} [stdio] of the zygote and of children that inherit it; default
 *   ['ignore', 'inherit', 'inherit']
 * @property {<T>(spawn: () => T) => T} [around] calls spawn(), which starts the zygote; it may change this process's
 *   state before and must restore it afterwards
 */

/**
 * Creates a zygote. Resolves when it can fork.
 * @param {string | URL} moduleUrl absolute: file: or data:
 * @param {ZygoteOptions} [options]
 * @returns {Promise<Zygote>}
 * @throws {PitvError} PITV_OPTION_INVALID; PITV_ZYGOTE_UNSUPPORTED: the system is not Linux; PITV_ZYGOTE_FAILED: the
 *   module did not load, threw, or left something open that cannot be forked
 */
export async function createZygote(moduleUrl, options = {}) {
  checkValue('createZygote()', 'moduleUrl', url, moduleUrl);
  const checked = checkZygoteOptions(options);
  if (process.platform !== 'linux') {
    throw new PitvError('PITV_ZYGOTE_UNSUPPORTED', 'A zygote needs Linux.');
  }
  const zygote = new Zygote(new URL(moduleUrl).href, checked);
  try {
    await zygote.ready();
  } catch (error) {
    await zygote.close();
    throw error;
  }
  return zygote;
}
