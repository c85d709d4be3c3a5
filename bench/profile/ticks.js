/**
 * Reads V8's tick log (--prof), which has the stack of a thread in each millisecond in which it was awake.
 * `node --prof-process --preprocess` parses the log, because its format differs between versions of V8.
 */
import { spawn } from 'node:child_process';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { PitvError } from '../../app/errors.js';
import { shortenName, shortenSymbol } from './names.js';
import { joinLibraries, symbolsOf } from './symbols.js';

/** Values of v8::StateTag. */
const STATE = Object.freeze({ gc: 1, idle: 8 });
/** A longer log does not fit into the memory of a small computer. */
const MAX_LOG_BYTES = 192 * 1024 * 1024;

/** The kinds of samples, named as in the summary of `node --prof-process`. */
export const CLASSES = Object.freeze({
  js: 'JavaScript',
  cpp: 'C++',
  gc: 'GC',
  lib: 'Shared libraries',
  unknown: 'Unaccounted',
});

/**
 * @typedef {keyof typeof CLASSES} Class
 * @typedef {object} Frame
 * @property {string} name @property {Class} kind
 * @typedef {object} Ticks
 * @property {Frame[]} frames
 * @property {number[][]} stacks indexes of frames, outermost first
 * @property {Class[]} classes one for each stack
 * @property {boolean} symbols whether C++ functions have names
 */

/** A list of distinct functions. */
export class FrameList {
  /** @type {Frame[]} */
  frames = [];
  /** @type {Map<string, number>} */
  #indexes = new Map();

  /** Finds or adds a function. @param {string} name @param {Class} kind @returns {number} its index in `frames` */
  index(name, kind) {
    const key = `${kind} ${name}`;
    let index = this.#indexes.get(key);
    if (index === undefined) {
      index = this.frames.push({ name, kind }) - 1;
      this.#indexes.set(key, index);
    }
    return index;
  }
}

/**
 * Reads a tick log.
 * @param {string} path of the log
 * @param {{fromMs?: number, toMs?: number, signal?: AbortSignal}} [options] times since the start of the thread
 * @returns {Promise<Ticks>}
 * @throws {PitvError} PITV_PROFILE_LOG
 */
export async function readTicks(path, { fromMs = 0, toMs = Infinity, signal } = {}) {
  const { size } = await stat(path);
  if (size > MAX_LOG_BYTES) {
    throw new PitvError(
      'PITV_PROFILE_LOG',
      `The log of ${Math.round(size / 1e6)} MB is too long to be read; use fewer --seconds.`,
    );
  }
  const { text, libraries } = joinLibraries(await readFile(path, 'latin1'));
  await writeFile(path, text, 'latin1');
  const parsed = await preprocess(path, signal);
  const symbols = new Map();
  for (const library of libraries) {
    if (!parsed.code.some((/** @type {any} */ code) => code.name === library.path)) continue;
    symbols.set(library.path, await symbolsOf(library, signal));
  }
  const framer = makeFramer(parsed, symbols);
  const { list } = framer;
  /** @type {Ticks} */
  const ticks = {
    frames: list.frames,
    stacks: [],
    classes: [],
    symbols: symbols.get(process.execPath) !== undefined || anyOf(symbols, /libnode/),
  };
  for (const { tm, vm, s } of parsed.ticks) {
    if (vm === STATE.idle || tm < fromMs * 1000 || tm > toMs * 1000) continue;
    const stack = framer.stackOf(s);
    const leaf = stack.at(-1);
    const kind = vm === STATE.gc ? 'gc' : leaf === undefined ? 'unknown' : list.frames[leaf].kind;
    if (vm === STATE.gc) stack.push(list.index('(garbage collector)', 'gc'));
    else if (framer.topUnknown(s)) stack.push(list.index('(unknown)', 'unknown'));
    ticks.stacks.push(stack);
    ticks.classes.push(vm !== STATE.gc && framer.topUnknown(s) ? 'unknown' : kind);
  }
  return ticks;
}

/** @param {Map<string, unknown>} symbols @param {RegExp} path */
const anyOf = (symbols, path) =>
  [...symbols].some(([name, found]) => found !== undefined && path.test(name));

/** @param {string} path @param {AbortSignal} [signal] @returns {Promise<any>} */
async function preprocess(path, signal) {
  const args = ['--no-warnings', '--prof-process', '--preprocess', path];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], signal });
  /** @type {Buffer[]} */
  const parts = [];
  let errors = '';
  child.stdout.on('data', (part) => parts.push(part));
  child.stderr.setEncoding('utf8').on('data', (text) => (errors = (errors + text).slice(-1000)));
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  try {
    return JSON.parse(Buffer.concat(parts).toString('utf8'));
  } catch (cause) {
    const sentence = `Node's tick processor ended with ${code}: ${errors.trim() || 'no result'}`;
    throw new PitvError('PITV_PROFILE_LOG', sentence, { cause });
  }
}

/** @param {any} parsed @param {Map<string, import('./symbols.js').NameAt | undefined>} symbols */
function makeFramer({ code, functions }, symbols) {
  const list = new FrameList();

  /** @param {number} id @param {number} offset @returns {number} -1 if unknown */
  function frameOf(id, offset) {
    const entry = id < 0 ? undefined : code[id];
    if (!entry) return -1;
    if (entry.type === 'JS')
      return list.index(shortenName(functions[entry.func]?.name ?? entry.name), 'js');
    if (entry.type === 'CODE') return list.index(`${entry.name} (built-in)`, 'js');
    if (entry.type === 'CPP') {
      const [symbol, version] = entry.name.split(/@@?(?=[A-Z])/); // versioned functions of libc and libstdc++
      return list.index(shortenSymbol(symbol), version ? 'lib' : 'cpp');
    }
    const name = symbols.get(entry.name)?.(offset) ?? '';
    const builtin = /^Builtins_(\w+)/.exec(name)?.[1];
    if (builtin) return list.index(`${builtin} (built-in)`, 'js');
    const library = entry.name.replace(/^.*\//, '');
    const own = entry.name === process.execPath || /^(node|libnode\.so.*)$/.test(library);
    const text = name ? shortenSymbol(name) : `(${library})`;
    return list.index(own || !name ? text : `${text} (${library})`, own ? 'cpp' : 'lib');
  }

  return {
    list,
    /** @param {number[]} pairs of code and offset, innermost first */
    topUnknown: (pairs) => frameOf(pairs[0], pairs[1]) < 0,
    /** @param {number[]} pairs @returns {number[]} */
    stackOf(pairs) {
      /** @type {number[]} */
      const stack = [];
      for (let i = 0; i < pairs.length; i += 2) {
        const frame = frameOf(pairs[i], pairs[i + 1]);
        if (frame >= 0 && frame !== stack.at(-1)) stack.push(frame);
      }
      return stack.reverse();
    },
  };
}
