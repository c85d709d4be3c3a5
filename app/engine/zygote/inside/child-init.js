/**
 * Initializes a forked child: replaces everything that a Node process knows about itself and that is
 * different in the zygote. Descriptors, name, priority and event loop have been set up before
 * (native/zygote/child.c).
 */
import inspector from 'node:inspector';
import { syncBuiltinESMExports } from 'node:module';
import { PitvError } from '../../../errors.js';
import { replaceClocks } from './clock.js';
import { replaceExit } from './exit.js';
import { replaceMathRandom, watchEntropyCache } from './random.js';

/**
 * Replaces functions in the zygote. Call it before a module is loaded that may keep the originals.
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
    /** Call it in the zygote, before serve(). */
    drainEntropyCache,

    /** Sets what the process does last. @param {(code: number) => void} action */
    onExit(action) {
      exitAction = action;
    },

    /** Sets what is done with an error that ends the process. @param {(error: unknown) => void} action */
    onUncaught(action) {
      reportAction = action;
    },

    /**
     * Initializes this process as a child.
     * @param {{seed: ArrayBuffer}} granted @param {string} name
     */
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

    /** For the addon's whenEmpty(). */
    onEmpty,
  };
}

/** Makes the inspector throw: it listens in a thread of its own, which is not forked. */
function refuseInspector() {
  inspector.open = () => {
    const sentence =
      'The inspector does not work in a zygote and its children: its thread is not forked. ' +
      'Run the module in an ordinary process to debug it.';
    throw new PitvError('PITV_ZYGOTE_INSPECTOR', sentence);
  };
  syncBuiltinESMExports();
}
