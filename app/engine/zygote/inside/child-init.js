/**
 * Initializes a forked child: replaces the values that Node keeps about its process and that are those of the zygote.
 * The addon has set up descriptors, name, priority and event loop before (native/zygote/child.c).
 */
import inspector from 'node:inspector';
import { syncBuiltinESMExports } from 'node:module';
import { PitvError } from '../../../errors.js';
import { replaceClocks } from './clock.js';
import { replaceExit } from './exit.js';
import { replaceMathRandom, watchEntropyCache } from './random.js';

/**
 * Replaces functions in the zygote. Call it before loading a module that may keep the original functions.
 * @param {import('./internals.js').Internals} internals
 * @param {import('../../../native/native.js').Native} addon
 */
export function prepareChildInit(internals, addon) {
  const seedRandom = replaceMathRandom();
  const drainEntropyCache = watchEntropyCache();
  const startClocks = replaceClocks();
  /** @type {(code: number) => void} */
  let exitAction = () => {};
  /** @type {(error: unknown) => void} */
  let reportAction = () => {};
  const { onEmpty } = replaceExit(
    (code) => {
      exitAction(code);
      return addon.exitNow(code);
    },
    (error) => reportAction(error),
  );
  refuseInspector();
  // A process that a child forks itself (child_process.fork) is an ordinary Node.
  process.execArgv = [];

  return {
    /** See watchEntropyCache(). Call it in the zygote, before serve(). */
    drainEntropyCache,

    /** Sets the function that is called last in the process. @param {(code: number) => void} action */
    onExit(action) {
      exitAction = action;
    },

    /** Sets the function that gets an error that ends the process. @param {(error: unknown) => void} action */
    onUncaught(action) {
      reportAction = action;
    },

    /** Initializes this process as a child. @param {{seed: ArrayBuffer}} served 16 random bytes @param {string} name */
    initChild({ seed }, name) {
      Object.defineProperty(process, 'pid', {
        value: addon.processId(),
        enumerable: true,
        configurable: true,
        writable: false,
      });
      seedRandom(seed);
      startClocks();
      internals.resetStdio();
      process.title = name;
    },

    /** Is passed to the addon's whenEmpty(). */
    onEmpty,
  };
}

/** Makes inspector.open() throw: the inspector listens in another thread, which is not forked. */
function refuseInspector() {
  inspector.open = () => {
    const sentence =
      'The inspector does not work in a zygote and its children: its thread is not forked. ' +
      'Run the module in an ordinary process to debug it.';
    throw new PitvError('PITV_ZYGOTE_INSPECTOR', sentence);
  };
  syncBuiltinESMExports();
}
