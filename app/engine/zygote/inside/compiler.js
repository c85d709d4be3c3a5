/**
 * V8's optimizing compiler. It waits until it has seen enough of a function, which is a good bargain
 * for a program that runs on. A zygote knows that what it warms up will be run a lot: whatever is not
 * compiled when it stands still is compiled again in every child, into memory of its own.
 */
import { setFlagsFromString } from 'node:v8';

/** How much sooner than by default while the zygote warms up. */
const SOONER = 10;

/**
 * Name -> default, by V8's major version (node --v8-options).
 * @type {Record<string, number>}
 */
const PATIENCE =
  Number(process.versions.v8.split('.')[0]) < 12
    ? { 'interrupt-budget': 67584, 'minimum-invocations-after-ic-update': 500 }
    : {
        'invocation-count-for-turbofan': 3000,
        'invocation-count-for-maglev': 400,
        'minimum-invocations-after-ic-update': 500,
      };

/**
 * Runs something with a compiler that is less patient.
 * @template T @param {() => Promise<T>} action @returns {Promise<T>}
 */
export async function compilingSooner(action) {
  for (const [name, value] of Object.entries(PATIENCE)) set(name, Math.ceil(value / SOONER));
  try {
    return await action();
  } finally {
    for (const [name, value] of Object.entries(PATIENCE)) set(name, value);
  }
}

/** @param {string} name @param {number} value */
const set = (name, value) => setFlagsFromString(`--${name}=${value}`);
