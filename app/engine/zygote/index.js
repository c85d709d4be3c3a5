/**
 * A fork server for Node.js. One process, the zygote, loads a module and lets it warm up; every child
 * is a fork of it: a process of its own, there within milliseconds, which shares all the memory that
 * it does not write to. See README.md, and example/ for a program that runs.
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
 *   export async function warm(args, { keep }) {}   // optional; in the zygote, before it stands still
 *   export default async function run(args, worker) {}   // in each child
 */
import { PitvError } from '../../errors.js';
import { checkValue, url } from '../../options.js';
import { checkZygoteOptions } from './options.js';
import { Zygote } from './zygote.js';

export { Zygote } from './zygote.js';

/** @typedef {import('./options.js').ForkOptions} ForkOptions */
/** @typedef {import('./forked-process.js').ForkedExit} ForkedExit */
/** @typedef {import('./inside/worker.js').Worker} Worker */

/**
 * @typedef {object} ZygoteOptions
 * @property {unknown} [args] for the module's warm()
 * @property {unknown} [draft] for warm(), too: a first zygote is warmed up with this, and used until the
 *   one that is warmed up with `args` is ready; for modules whose warm() may take long
 * @property {string} [name] process title of the zygote; 'zygote' when left out
 * @property {boolean} [spare] fork the next child ahead, so that a start does not have to wait for
 *   fork(); true when left out. It takes a few hundred KiB until it is wanted
 * @property {string[]} [flags] more of Node's and V8's options for the zygote and its children
 * @property {NodeJS.ProcessEnv} [env] of the zygote and its children; process.env when left out
 * @property {import('./options.js').Stdio[]} [stdio] of the zygote, and of children that inherit it;
 *   ['ignore', 'inherit', 'inherit'] when left out
 * @property {<T>(spawn: () => T) => T} [around] calls spawn(), which starts the zygote; may change
 *   this process's state before and must put it back after
 */

/**
 * @param {string | URL} moduleUrl absolute: file: or data:
 * @param {ZygoteOptions} [options]
 * @returns {Promise<Zygote>} warmed up, ready to fork
 * @throws {PitvError} PITV_OPTION_INVALID; PITV_ZYGOTE_UNSUPPORTED: not on this system;
 *   PITV_ZYGOTE_FAILED: the module did not load, threw, or left open what can't be forked
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
