/**
 * V8's optimizing compiler. It waits until it has seen enough of a function, which is a good bargain
 * for a program that runs on. A zygote knows that what it warms up will be run a lot: whatever is not
 * compiled when it stands still is compiled again in every child, into memory of its own.
 */
import { setFlagsFromString } from 'node:v8';

/**
 * How much sooner than by default while the zygote warms up. Whatever is not compiled then notes in each
 * child what it is called with and how often: a page each for some hundred functions.
 */
const SOONER = 30;

/**
 * How much later than by default from then on. To compile what is called once or twice a tick gains a
 * child microseconds a second, and costs it 200 to 400 KiB; whatever really takes time is compiled within
 * a second all the same.
 */
const LATER = 16;

const IS_OLD = Number(process.versions.v8.split('.')[0]) < 12;

/** @param {number} byDefault @returns {[number, number]} */
const bounds = (byDefault) => [Math.ceil(byDefault / SOONER), byDefault * LATER];

/**
 * V8's settings (node --v8-options), by its major version -> [while the zygote warms up, from then on].
 *
 * The last ones of older versions: a function counts down, and only with what it is given next it has the new
 * bound. Some stand just before zero when the zygote stands still, which ones is chance, and each child would
 * compile them at once; so that is not enough any more. And functions of fewer than 81 bytes are compiled
 * sooner than others, since it costs so little; but in a child it copies some forty pages. Newer versions could only
 * be told to wait for so many calls, however long each takes: a function of a few long calls would stay slow.
 * @type {Record<string, [number, number]>}
 */
const SETTINGS = IS_OLD
  ? {
      'interrupt-budget': bounds(67584),
      'minimum-invocations-after-ic-update': bounds(500),
      'ticks-before-optimization': [3, 6],
      'max-bytecode-size-for-early-opt': [81, 0],
    }
  : {
      'invocation-count-for-turbofan': bounds(3000),
      'invocation-count-for-maglev': bounds(400),
      'minimum-invocations-after-ic-update': bounds(500),
    };

/**
 * Runs something with a compiler that is less patient, and more so afterwards.
 * @template T @param {() => Promise<T>} action @returns {Promise<T>}
 */
export async function compilingSooner(action) {
  const set = (/** @type {0 | 1} */ which) => {
    for (const [name, values] of Object.entries(SETTINGS)) {
      setFlagsFromString(`--${name}=${values[which]}`);
    }
  };
  set(0);
  try {
    return await action();
  } finally {
    set(1);
  }
}
