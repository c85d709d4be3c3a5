/**
 * Initializes a forked child: replaces the values that Node keeps about its process and that are those of the zygote.
 * The addon has set up descriptors, name, priority and event loop before (native/zygote/child.c).
 */
import crypto from 'node:crypto';
import inspector from 'node:inspector';
import { syncBuiltinESMExports } from 'node:module';
import { performance } from 'node:perf_hooks';
import { PitvError } from '../../../errors.js';
import { KIND } from '../channel.js';
import { replaceExit } from './exit.js';

/** Number of UUIDs in node:crypto's cache (lib/internal/crypto/random.js). */
const UUID_BATCH = 128;

/**
 * Replaces functions in the zygote. Call it before loading a module that may keep the original functions.
 * @param {import('./internals.js').Internals} internals
 * @param {import('../../../native/native.js').Native} addon
 */
export function prepareChildInit(internals, addon) {
  const seedRandom = replaceMathRandom();
  const drainEntropyCache = watchEntropyCache();
  const startClocks = replaceClocks();
  /** @type {import('./worker.js').Worker | undefined} */
  let worker;
  const { onEmpty } = replaceExit(
    (code) => {
      worker?.reportLast(KIND.exiting, code);
      return addon.exitNow(code);
    },
    (error) => worker?.reportLast(KIND.failed, error),
  );
  refuseInspector();
  // A process that a child forks itself (child_process.fork) is an ordinary Node.
  process.execArgv = [];

  return {
    /** See watchEntropyCache(). Call it in the zygote, before serve(). */
    drainEntropyCache,

    /** Has a worker report the end of this process. @param {import('./worker.js').Worker} reporting */
    reportEndBy(reporting) {
      worker = reporting;
    },

    /** Initializes this process as a child. @param {Int32Array} seed four random words @param {string} name */
    initChild(seed, name) {
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

/**
 * Makes performance.now(), performance.timeOrigin and process.uptime() count from the fork in a child. Times that Node
 * records itself (PerformanceObserver entries, Event.timeStamp) still count from the start of the zygote.
 * @returns {() => void} restarts the clocks; call it in the child
 */
function replaceClocks() {
  const proto = Object.getPrototypeOf(performance);
  const { now, mark, measure, toJSON } = proto;
  const origin = performance.timeOrigin;
  const { uptime } = process;
  let startMs = 0;
  let startSeconds = 0;

  const replaced = {
    now() {
      return now.call(performance) - startMs;
    },
    /** @param {string} name @param {PerformanceMarkOptions} [options] */
    mark(name, options) {
      return mark.call(this, name, { startTime: replaced.now(), ...options });
    },
    /** @param {string} name @param {any} [start] @param {string} [end] */
    measure(name, start, end) {
      if (typeof start !== 'object' || start === null) {
        // Without a start, the measure begins at the time origin.
        if (end !== undefined) return measure.call(this, name, start, end);
        return measure.call(this, name, { start: start ?? 0, end: replaced.now() });
      }
      const open = start.end === undefined && start.duration === undefined;
      return measure.call(this, name, open ? { ...start, end: replaced.now() } : start);
    },
    toJSON() {
      return { ...toJSON.call(this), timeOrigin: origin + startMs };
    },
  };
  for (const [name, value] of Object.entries(replaced)) {
    const was = Object.getOwnPropertyDescriptor(proto, name);
    Object.defineProperty(proto, name, { ...was, value });
  }
  Object.defineProperty(proto, 'timeOrigin', {
    configurable: true,
    enumerable: true,
    get: () => origin + startMs,
  });
  process.uptime = () => uptime() - startSeconds;

  return function restart() {
    startMs = now.call(performance);
    startSeconds = uptime();
  };
}

/**
 * Gives every child different random numbers: replaces Math.random by a generator that can be seeded. OpenSSL detects
 * a fork, but V8's generator does not: the children of one zygote would all get the same numbers. The generator is
 * sfc32 by Chris Doty-Humphrey (PractRand); a number uses 53 of 64 bits. Call it before loading any other module, so
 * that compiled code calls the new function.
 * @returns {(seed: Int32Array) => void} seeds the generator with four words
 */
function replaceMathRandom() {
  const state = new Int32Array(4);

  function next() {
    const a = state[0];
    const b = state[1];
    const c = state[2];
    const sum = (a + b + state[3]) | 0;
    state[3] = (state[3] + 1) | 0;
    state[0] = b ^ (b >>> 9);
    state[1] = (c + (c << 3)) | 0;
    state[2] = (((c << 21) | (c >>> 11)) + sum) | 0;
    return sum >>> 0;
  }

  Math.random = function random() {
    return ((next() >>> 5) * 0x4000000 + (next() >>> 6)) / 0x20000000000000;
  };
  /** @param {Int32Array} words */
  function seed(words) {
    state.set(words);
    for (let i = 0; i < 15; i++) next(); // until every bit of the seed affects every word
  }
  seed(crypto.randomFillSync(new Int32Array(4)));
  return seed;
}

/**
 * Counts the use of node:crypto's caches of random bytes, for randomUUID() and randomInt().
 * @returns {() => void} empties the caches of randomUUID() and randomInt(), so that a child starts with new bytes
 */
function watchEntropyCache() {
  let uuids = 0;
  /** @param {Record<string, any>} holder @param {string} name */
  function count(holder, name) {
    const original = holder[name];
    if (typeof original !== 'function') return;
    const counted = {
      /** @param {{disableEntropyCache?: boolean}} [options] */
      [name](options) {
        if (!options?.disableEntropyCache) uuids++;
        return Reflect.apply(original, this, arguments);
      },
    };
    holder[name] = counted[name];
  }
  count(crypto, 'randomUUID');
  count(crypto, 'randomUUIDv7');
  count(Object.getPrototypeOf(globalThis.crypto), 'randomUUID');
  const { randomInt } = crypto;
  let usesIntegers = false;
  crypto.randomInt = /** @type {any} */ (
    function () {
      usesIntegers = true;
      return Reflect.apply(randomInt, crypto, arguments);
    }
  );
  syncBuiltinESMExports();

  return function drainEntropyCache() {
    while (uuids % UUID_BATCH !== 0) crypto.randomUUID();
    // Not without need: after a change of Buffer.prototype, each child would look up all methods of buffers again.
    if (usesIntegers) drainIntegerCache();
  };
}

/** Empties the cache of randomInt(). It reads the cache by readUIntBE(), which shows the position in it. */
function drainIntegerCache() {
  const { readUIntBE } = Buffer.prototype;
  let left = 0;
  /** @this {Buffer} @param {number} offset @param {number} length */
  Buffer.prototype.readUIntBE = function (offset, length) {
    left = this.length - offset - length;
    return readUIntBE.call(this, offset, length);
  };
  try {
    do crypto.randomInt(2);
    while (left > 0);
  } finally {
    Buffer.prototype.readUIntBE = readUIntBE;
  }
}
