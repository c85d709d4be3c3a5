/** A job whose ticks call a function often. Its frame says whether V8 has optimized that function. */
import { setFlagsFromString } from 'node:v8';

export const sizes = { inputSlots: 0, frameBytes: 64, checkpointBytes: 0 };

const CALLS = 20_000;

setFlagsFromString('--allow-natives-syntax');
/** The bits of %GetOptimizationStatus() are others in each version of V8. */
const isOptimized = new Function(
  'called',
  'return %ActiveTierIsMaglev(called) || %ActiveTierIsTurbofan(called)',
);
setFlagsFromString('--no-allow-natives-syntax');

export default {
  start() {
    // Made here, so that no rehearsal has called it.
    const hot = new Function(
      'n',
      'let sum = 0; for (const i of [1, 2, 3]) sum += i * n; return sum',
    );
    return {
      step() {
        for (let i = 0; i < CALLS; i++) hot(i);
      },
      /** @param {Uint8Array} target */
      writeFrame(target) {
        target[0] = isOptimized(hot) ? 1 : 0;
        return 1;
      },
    };
  },
};
