/** Translates options of a pool for workers that are processes. */
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** @typedef {import('../options.js').CheckedPoolOptions} PoolOptions */

/** V8's options for the limits of a worker thread. */
const LIMIT_FLAGS = /** @type {const} */ ([
  ['maxOldGenerationSizeMb', '--max-old-space-size='],
  ['maxYoungGenerationSizeMb', '--max-semi-space-size='],
]);
const KIB_PER_MB = 1024;

/** @param {PoolOptions} options @returns {string[]} */
export function v8Flags({ resourceLimits = {} }) {
  const flags = LIMIT_FLAGS.flatMap(([name, flag]) => {
    const megabytes = resourceLimits[name];
    return megabytes === undefined ? [] : [`${flag}${Math.ceil(megabytes)}`];
  });
  const { stackSizeMb } = resourceLimits;
  // V8 needs some of the stack for itself, as in a thread.
  const stackKib = Math.min((stackSizeMb ?? 0) * KIB_PER_MB, maxStackKib()) - 192;
  if (stackSizeMb) flags.push(`--stack-size=${Math.floor(stackKib)}`);
  return flags;
}

/** Returns the longest stack that the system gives a process. V8 would write beyond it. */
function maxStackKib() {
  const limits = readFileSync('/proc/self/limits', 'latin1');
  return Number(/^Max stack size +(\d+)/m.exec(limits)?.[1] ?? Infinity) / KIB_PER_MB;
}

/** The inspector's options in NODE_OPTIONS: this program has opened the port. */
const INSPECTOR = /(?<!\S)--inspect(-(brk|port|publish-uid|wait))?(=\S*)?(?!\S)/g;

/** Returns the environment of workers that start now. @param {PoolOptions} options @returns {NodeJS.ProcessEnv} */
export function environmentOf({ env }) {
  if (env !== undefined && env !== null && typeof env !== 'symbol') return env;
  const { NODE_OPTIONS } = process.env;
  if (!NODE_OPTIONS?.includes('--inspect')) return process.env;
  return { ...process.env, NODE_OPTIONS: NODE_OPTIONS.replace(INSPECTOR, '') };
}

/** Options that say what this program does, or open a port. A worker must not repeat them. */
const OWN_OPTION =
  /^(-[cipe]+|--(check|eval|input-type|inspect|interactive|print|run|test|watch)([-=].*)?)$/;
/** Those of them whose value may be the next argument. */
const WITH_VALUE =
  /^--(input-type|inspect-port|run|test-(concurrency|isolation|name-pattern|reporter|reporter-destination|shard|skip-pattern|timeout)|watch-path)$/;

/**
 * Returns the options of Node.js that workers of a pool get: the pool's, else those of this process, as in a thread. A
 * locked worker gets only the pool's, because it can read no other files.
 * @param {PoolOptions} options
 * @returns {string[]}
 */
export function execArgvOf({ execArgv, locked }) {
  if (execArgv || locked) return execArgv ?? [];
  const code = process.execArgv.lastIndexOf(Reflect.get(process, '_eval'));
  return process.execArgv.filter(
    (option, i, all) =>
      i !== code && !OWN_OPTION.test(option) && !(i > 0 && WITH_VALUE.test(all[i - 1])),
  );
}

/**
 * Returns how a locked worker is locked: it may read the folder of its module, and nothing else.
 * @param {PoolOptions} options
 * @returns {import('../../engine/lock.js').Lock}
 */
export function lockOf({ filename, readable }) {
  const isFile = filename !== null && !/^(data|node):/.test(filename);
  const folder = isFile ? [dirname(resolve(filename))] : [];
  return { readable: [...folder, ...readable] };
}
