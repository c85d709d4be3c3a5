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

/**
 * Name -> default, by V8's major version (node --v8-options).
 * @type {Record<string, number>}
 */
const PATIENCE = IS_OLD
  ? { 'interrupt-budget': 67584, 'minimum-invocations-after-ic-update': 500 }
  : {
      'invocation-count-for-turbofan': 3000,
      'invocation-count-for-maglev': 400,
      'minimum-invocations-after-ic-update': 500,
    };

/**
 * V8 compiles functions of fewer bytes than this (81) sooner than others, since it costs so little. But
 * in a child it copies some forty pages for a function that is called once a tick, so that there small
 * ones wait as long as others. Newer versions do so anyway.
 */
const SMALL_FUNCTION = 'max-bytecode-size-for-early-opt';
const SMALL_FUNCTION_BYTES = 81;

/**
 * Runs something with a compiler that is less patient, and more so afterwards.
 * @template T @param {() => Promise<T>} action @returns {Promise<T>}
 */
export async function compilingSooner(action) {
  for (const [name, value] of Object.entries(PATIENCE)) set(name, Math.ceil(value / SOONER));
  if (IS_OLD) set(SMALL_FUNCTION, SMALL_FUNCTION_BYTES);
  try {
    return await action();
  } finally {
    for (const [name, value] of Object.entries(PATIENCE)) set(name, value * LATER);
    if (IS_OLD) set(SMALL_FUNCTION, 0);
  }
}

/** @param {string} name @param {number} value */
const set = (name, value) => setFlagsFromString(`--${name}=${value}`);
