/**
 * Reads and writes CPU profiles (.cpuprofile), the format of Chrome's DevTools, VS Code and speedscope. Forks of a
 * zygote write no tick log, so their samples come from a CPU profile. It has no names of C++ functions: all native code
 * is "(program)".
 */
import { readFile } from 'node:fs/promises';
import { PitvError } from '../../app/errors.js';
import { shortenName } from './names.js';
import { FrameList } from './ticks.js';

/**
 * @typedef {import('./ticks.js').Ticks} Ticks
 * @typedef {import('./ticks.js').Class} Class
 * @typedef {import('node:inspector').Profiler.Profile} CpuProfile
 */

/** V8's names for samples outside any function. @type {Record<string, Class>} */
const META = { '(garbage collector)': 'gc', '(program)': 'cpp' };
const IDLE = '(idle)';
const ROOT = '(root)';
/** The tick profiler takes one sample a millisecond. */
const SAMPLE_US = 1000;

/**
 * Reads a CPU profile.
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

/** Converts a CPU profile to ticks. @param {CpuProfile} profile @returns {Ticks} without samples of the idle thread */
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
    return list.index(shortenName(`${name} ${url}:${lineNumber + 1}:${columnNumber + 1}`), 'js');
  };
  /** @type {Map<number, {stack: number[], kind: Class} | undefined>} */
  const seen = new Map();
  /** @param {number} leaf @returns {{stack: number[], kind: Class} | undefined} */
  const sampleOf = (leaf) => {
    const stack = [];
    /** @type {number | undefined} */
    let id = leaf;
    for (; id !== undefined; id = parents.get(id)) {
      const frame = byId.get(id)?.callFrame;
      if (!frame || frame.functionName === IDLE) return undefined;
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

/**
 * Converts ticks to a CPU profile. C++ functions are frames, too.
 * @param {Ticks} ticks
 * @returns {CpuProfile}
 */
export function toCpuProfile({ frames, stacks }) {
  const nodes = [nodeOf(1, { name: ROOT, kind: 'js' })];
  /** @type {Map<number, number>[]} for each node: frame -> index of the child */
  const childOf = [new Map()];
  const samples = stacks.map((stack) => {
    let at = 0;
    for (const frame of stack) {
      let child = childOf[at].get(frame);
      if (child === undefined) {
        child = nodes.push(nodeOf(nodes.length + 1, frames[frame])) - 1;
        childOf.push(new Map());
        childOf[at].set(frame, child);
        nodes[at].children.push(nodes[child].id);
      }
      at = child;
    }
    nodes[at].hitCount++;
    return nodes[at].id;
  });
  const timeDeltas = samples.map(() => SAMPLE_US);
  return { nodes, startTime: 0, endTime: samples.length * SAMPLE_US, samples, timeDeltas };
}

/** @param {number} id @param {import('./ticks.js').Frame} frame */
function nodeOf(id, { name, kind }) {
  const place = kind === 'js' && /^(.+) (\S+):(\d+)$/.exec(name);
  const [functionName, url, line] = place ? place.slice(1) : [name, '', '0'];
  const callFrame = {
    functionName,
    url,
    scriptId: '0',
    lineNumber: Number(line) - 1,
    columnNumber: -1,
  };
  return { id, callFrame, hitCount: 0, children: /** @type {number[]} */ ([]) };
}
