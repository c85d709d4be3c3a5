/**
 * From a CPU profile, as Chrome's DevTools show them, to the same samples as of a tick log: forks of a
 * zygote write no such log. C++ functions have no names in it, and what is not JavaScript is one thing.
 */
import { readFile } from 'node:fs/promises';
import { PitvError } from '../../app/errors.js';
import { FrameList } from './frame-list.js';
import { tidy } from './names.js';

/** @typedef {import('./ticks.js').Ticks} Ticks */

/** What V8's profiler calls what is no function. @type {Record<string, import('./ticks.js').Class>} */
const META = { '(garbage collector)': 'gc', '(program)': 'cpp' };
const ASLEEP = '(idle)';
const ROOT = '(root)';

/**
 * @param {string} path of a .cpuprofile
 * @returns {Promise<Ticks>}
 * @throws {PitvError} PITV_PROFILE_LOG
 */
export async function readCpuProfile(path) {
  try {
    return ticksOf(JSON.parse(await readFile(path, 'utf8')));
  } catch (cause) {
    throw new PitvError('PITV_PROFILE_LOG', 'The CPU profile of a worker cannot be read.', {
      cause,
    });
  }
}

/** @param {import('node:inspector').Profiler.Profile} profile @returns {Ticks} */
export function ticksOf({ nodes, samples = [] }) {
  const list = new FrameList();
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Map(
    nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])),
  );
  /** @param {import('node:inspector').Runtime.CallFrame} frame */
  const frameOf = ({ functionName: name, url, lineNumber, columnNumber }) => {
    if (META[name]) return list.index(name, META[name]);
    if (!url) return list.index(`${name || '(anonymous)'} (built-in)`, 'js');
    return list.index(tidy(`${name} ${url}:${lineNumber + 1}:${columnNumber + 1}`), 'js');
  };
  /** @type {Map<number, {stack: number[], kind: import('./ticks.js').Class} | undefined>} */
  const seen = new Map();
  /** @param {number} leaf @returns {{stack: number[], kind: import('./ticks.js').Class} | undefined} */
  const sampleOf = (leaf) => {
    const stack = [];
    for (
      let id = /** @type {number | undefined} */ (leaf);
      id !== undefined;
      id = parents.get(id)
    ) {
      const frame = byId.get(id)?.callFrame;
      if (!frame || frame.functionName === ASLEEP) return undefined;
      if (frame.functionName !== ROOT) stack.unshift(frameOf(frame));
    }
    const last = stack.at(-1);
    return last === undefined ? undefined : { stack, kind: list.frames[last].kind };
  };
  /** @type {Ticks} */
  const ticks = { frames: list.frames, stacks: [], classes: [], symbols: true };
  for (const leaf of samples) {
    if (!seen.has(leaf)) seen.set(leaf, sampleOf(leaf));
    const sample = seen.get(leaf);
    if (!sample) continue;
    ticks.stacks.push(sample.stack);
    ticks.classes.push(sample.kind);
  }
  return ticks;
}
