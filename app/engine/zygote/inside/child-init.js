/**
 * Makes a right and proper process of a forked child: everything that a Node process knows about
 * itself and that the zygote knew otherwise. What the kernel has to be asked for has been done by then
 * (native/zygote/fork.c): descriptors, name, priority, an event loop of its own.
 */
import inspector from 'node:inspector';
import { syncBuiltinESMExports } from 'node:module';
import { PitvError } from '../../../errors.js';
import { replaceClocks } from './clock.js';
import { replaceEnding } from './exit.js';
import { replaceMathRandom, watchRandomStores } from './random.js';

/**
 * To be called in the zygote before any module is loaded that may hold on to what is replaced here.
 * @param {import('./internals.js').Internals} internals
 * @param {import('../../../native/native.js').Native} addon
 */
export function prepareBirth(internals, addon) {
  const seedRandom = replaceMathRandom();
  const useUpStores = watchRandomStores();
  const startClocks = replaceClocks();
  /** @type {(code: number) => void} */
  let lastWord = () => {};
  /** @type {(error: unknown) => void} */
  let report = () => {};
  const { onEmpty } = replaceEnding(
    (code) => {
      lastWord(code);
      return addon.exitNow(code);
    },
    (error) => report(error),
  );
  refuseInspector();
  // What a child forks itself (child_process.fork) shall be an ordinary Node.
  process.execArgv = [];

  return {
    /** In the zygote, before it stands still. */
    useUpStores,

    /** @param {(code: number) => void} action the very last of the process */
    atEnd(action) {
      lastWord = action;
    },

    /** @param {(error: unknown) => void} action for an error that ends the process */
    onUncaught(action) {
      report = action;
    },

    /**
     * In the child.
     * @param {{seed: ArrayBuffer}} granted @param {string} name
     */
    beBorn({ seed }, name) {
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

/** The inspector listens in a thread of its own, which does not come along. */
function refuseInspector() {
  inspector.open = () => {
    const sentence =
      'The inspector does not work in a zygote and its children: its thread is not forked. ' +
      'Run the module in an ordinary process to debug it.';
    throw new PitvError('PITV_ZYGOTE_INSPECTOR', sentence);
  };
  syncBuiltinESMExports();
}
