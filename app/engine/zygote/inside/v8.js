/**
 * Sets up V8 and the heaps for forks. A page that a child writes to is copied. So work that V8 and the C library
 * postpone, and that every child would otherwise do, is done before a zygote forks.
 *
 * Sets when V8's optimizing compiler starts. By default it waits until a function has run often enough. A zygote knows
 * that the functions of its warm-up will run a lot: those that are not compiled before it forks are compiled again in
 * every child, into private memory.
 */
import { getHeapCodeStatistics, getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/**
 * Divides V8's thresholds during the warm-up. In each child, a function that is not compiled yet records its calls and
 * argument types: some hundred functions, each in another page.
 */
const EAGER_DIVISOR = 30;

/**
 * Multiplies V8's thresholds after the warm-up. Compiling functions that run once or twice a tick saves a child
 * microseconds a second and costs it 200 to 400 KiB. Functions that take noticeable time are compiled within a second
 * nevertheless.
 */
const PATIENT_FACTOR = 16;

/** Whether V8 is older than that of Node.js 22: it has other compilers, and other flags. */
export const IS_OLD = Number(process.versions.v8.split('.')[0]) < 12;

/** @typedef {[eager: number, patient: number, normal: number]} Values during the warm-up, afterwards, V8's default */

/** @param {number} normal V8's default @returns {Values} */
const thresholds = (normal) => [Math.ceil(normal / EAGER_DIVISOR), normal * PATIENT_FACTOR, normal];

/**
 * V8's flags (node --v8-options).
 *
 * Two flags of older versions need a reason. `ticks-before-optimization`: a function counts down from its threshold and
 * gets the new threshold only with the next countdown. Some functions are close to zero when the zygote forks (which
 * ones varies), and each child would compile them at once. So a child needs more countdowns.
 * `max-bytecode-size-for-early-opt`: V8 compiles functions of fewer than 81 bytes earlier because that is cheap, but in
 * a child each copies some forty pages.
 *
 * Newer versions have only thresholds in calls, which do not consider the duration of a call. A higher threshold would
 * leave a function with few long calls slow.
 * @type {Record<string, Values>}
 */
const SETTINGS = IS_OLD
  ? {
      'interrupt-budget': thresholds(67584),
      'minimum-invocations-after-ic-update': thresholds(500),
      'ticks-before-optimization': [3, 6, 3],
      'max-bytecode-size-for-early-opt': [81, 0, 81],
    }
  : {
      'invocation-count-for-turbofan': thresholds(3000),
      'invocation-count-for-maglev': thresholds(400),
      'minimum-invocations-after-ic-update': thresholds(500),
    };

/**
 * Flags that switch the optimizing compilers off and on. Off: a maximum size and a name filter that match no function.
 * On: V8's defaults. In newer versions, the zygote forks with the compilers off. Otherwise each child would compile, in
 * its first milliseconds, the functions whose countdown was close to zero at the fork; these vary. With the compilers
 * off, the countdown starts again. Older versions use `ticks-before-optimization` for this.
 * @type {Record<string, [off: number | string, on: number | string]>}
 */
const COMPILERS = IS_OLD
  ? {}
  : { 'max-optimized-bytecode-size': [0, 61440], 'maglev-filter': ['none', '*'] };

/** @param {Record<string, (number | string)[]>} flags by name @param {0 | 1 | 2} which of the values */
const textOf = (flags, which) =>
  Object.entries(flags)
    .map(([name, values]) => `--${name}=${values[which]}`)
    .join(' ');
/** Is made here, because a child copies each page to which it writes. */
const START = textOf(COMPILERS, 1);

/**
 * Runs an action with an eager compiler. Afterwards nothing is optimized until a child calls startCompiler().
 * @template T @param {() => Promise<T>} action
 * @param {boolean} isPatient whether the compiler waits longer than by default then; false: the children run the same
 *   functions all the time
 * @returns {Promise<T>}
 */
export async function compileEagerly(action, isPatient) {
  startCompiler();
  setFlagsFromString(textOf(SETTINGS, 0));
  try {
    return await action();
  } finally {
    setFlagsFromString(textOf(SETTINGS, isPatient ? 1 : 2));
    setFlagsFromString(textOf(COMPILERS, 0));
  }
}

/** Lets V8 optimize functions in a child. */
export function startCompiler() {
  if (START) setFlagsFromString(START);
}

const collectGarbage = /** @type {((options?: object) => void) | undefined} */ (globalThis.gc);
Reflect.deleteProperty(globalThis, 'gc');

const collectYoung = () => collectGarbage?.({ type: 'minor' });

/** Property names are created in batches. Each takes some 100 bytes, and more in new space until it is collected. */
const NAMES_PER_BATCH = 200;
const MAX_NAMES = 1_000_000;
/** Size of a page of V8. It may add one page while others still have room. */
const PAGE_BYTES = 256 * 1024;

/** V8's flag that makes a full garbage collection move objects together and free the pages in between. */
const COMPACT = 'compact-on-every-full-gc';

/**
 * Collects garbage, compacts the heap and fills the holes in it.
 * @param {import('../../../native/native.js').Native} addon
 */
export function compactHeap(addon) {
  setFlagsFromString(`--${COMPACT}`);
  // V8 keeps freed pages and those of new space for later, and each fork() would map them: 40 % of the zygote's memory
  // in newer versions. These collections give them back; the first shrinkHeap() empties what the second gives back.
  if (IS_OLD) for (let i = 0; i < 2; i++) addon.shrinkHeap();
  else collectGarbage?.({ type: 'major', flavor: 'last-resort' });
  setFlagsFromString(`--no-${COMPACT}`); // in a child, compaction would copy all pages
  getHeapCodeStatistics(); // visits all objects, so V8 sweeps all pages first
  fillOldSpace();
}

/**
 * Finishes pending work of V8 and fills the holes in malloc's heap. Call it last.
 * @param {import('../../../native/native.js').Native} addon
 */
export async function settleHeap(addon) {
  for (let i = 0; i < 2; i++) collectYoung(); // empties new space
  // V8 runs its tasks for the main thread in the next turns of the event loop. A child would never run them:
  // uv_loop_fork() drops the pending wake-up, and V8 does not send another one.
  for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve));
  addon.fillHoles();
}

/**
 * Allocates until V8 has used up all free space in old space and maps another page. V8 sweeps a page, which writes to
 * it, only when it needs memory; in a child that would copy the page. The allocated space was already mapped, and
 * objects that a child creates later are next to each other in few pages.
 */
function fillOldSpace() {
  const before = oldSpaceBytes();
  for (let n = 0; oldSpaceBytes() <= before + PAGE_BYTES && n < MAX_NAMES; n += NAMES_PER_BATCH) {
    /** @type {Record<string, number>} */
    const names = Object.create(null); // V8 allocates property names in old space
    for (let i = 0; i < NAMES_PER_BATCH; i++) {
      names[`an unused property name that only fills free space, number ${n + i}`] = i;
    }
    collectYoung(); // so that few pages of new space are in use
  }
}

function oldSpaceBytes() {
  const space = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space');
  return space?.space_size ?? 0;
}
