/**
 * Notes calls of functions that a game must not use in a tick: random numbers and clocks, functions whose results may
 * differ between machines, and whatever runs after the tick, such as timers and promises. ECMAScript leaves the last
 * digits of the second open ("implementation-approximated").
 */
import { createHook } from 'node:async_hooks';
import { placeOf } from '../errors/place.js';

/** @typedef {'random' | 'clock' | 'inexact' | 'async'} Sort */
/**
 * @typedef {{call: string, sort: Sort, seed: number, tick: number, place: string}} Call tick: 0 while the game is
 *   imported
 */

/** The functions of Math whose results ECMAScript defines exactly, beside random(). All others may differ. */
const EXACT =
  /^(abs|ceil|clz32|f16round|floor|fround|imul|max|min|random|round|sign|sqrt|sumPrecise|trunc)$/;

/** What a game has called, by the type of the resource that node:async_hooks reports. @type {Record<string, string>} */
const ASYNC_CALLS = {
  Immediate: 'setImmediate()',
  Microtask: 'queueMicrotask()',
  PROMISE: 'A promise or an async function',
  TickObject: 'process.nextTick()',
};

/** The functions are replaced in this realm, for good. */
export class Watch {
  #url;
  #seed = 0;
  #tick = 0;
  #active = true;
  /** The first call of each function, during the import and in a tick. @type {Map<string, Call>} */
  #calls = new Map();

  /** @param {string} url of the game's module, which is imported later */
  constructor(url) {
    this.#url = url;
    this.#replace(Math, 'random', 'Math.random()', 'random');
    for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(Math))) {
      if (typeof value !== 'function' || EXACT.test(name)) continue;
      this.#replace(Math, name, `Math.${name}()`, 'inexact');
    }
    this.#replace(performance, 'now', 'performance.now()', 'clock');
    this.#replace(Date, 'now', 'Date.now()', 'clock');
    const note = (/** @type {string} */ call) => this.#note(call, 'clock');
    globalThis.Date = new Proxy(Date, {
      construct(target, args, newTarget) {
        if (args.length === 0) note('new Date()');
        return Reflect.construct(target, args, newTarget);
      },
      apply(target) {
        note('Date()');
        return target();
      },
    });
    createHook({
      init: (_id, type, _trigger, resource) => this.#note(asyncCall(type, resource), 'async'),
    }).enable();
  }

  /** @returns {Call[]} */
  get calls() {
    return [...this.#calls.values()];
  }

  /** Notes calls from now on. @param {number} seed @param {number} tick */
  begin(seed, tick) {
    this.#seed = seed;
    this.#tick = tick;
    this.#active = true;
  }

  /** Notes no calls from now on. */
  end() {
    this.#active = false;
  }

  /** @param {any} owner @param {string} name @param {string} call @param {Sort} sort */
  #replace(owner, name, call, sort) {
    const original = owner[name];
    const note = () => this.#note(call, sort);
    const value = function (/** @type {unknown[]} */ ...args) {
      note();
      return original.apply(owner, args);
    };
    Object.defineProperty(owner, name, { value, configurable: true, writable: true });
  }

  /** @param {string} call @param {Sort} sort */
  #note(call, sort) {
    const key = `${call} ${this.#tick > 0}`;
    if (!this.#active || this.#calls.has(key)) return;
    const place = placeOf(new Error(call), this.#url);
    if (place === undefined) return; // code of Node.js or of pitv
    this.#calls.set(key, { call, sort, seed: this.#seed, tick: this.#tick, place });
  }
}

/** Names the call that has made an asynchronous resource. @param {string} type @param {object} resource */
function asyncCall(type, resource) {
  if (type !== 'Timeout') return ASYNC_CALLS[type] ?? `An asynchronous function (${type})`;
  return Reflect.get(resource, '_repeat') === null ? 'setTimeout()' : 'setInterval()';
}
