/** From samples to what a reader wants to know: the summary, the hottest functions, who called them. */
import { CLASSES } from './ticks.js';

const HOTTEST = 15;
const BOTTOM_UP = 8;
/** Who called a function with less of all samples is no use to anybody. */
const BOTTOM_UP_SHARE = 0.01;
const CALLERS_DEEP = 5;
const CALLERS_WIDE = 3;
/** Callers with less of their function's samples are left out. */
const CALLER_SHARE = 0.05;

/**
 * @typedef {import('./ticks.js').Ticks} Ticks
 * @typedef {import('./ticks.js').Class} Class
 *
 * @typedef {object} Share
 * @property {string} name @property {number} ticks @property {number} percent of all samples
 *
 * @typedef {object} Caller
 * @property {string} name @property {number} ticks @property {number} percent of the function it called
 * @property {Caller[]} callers
 *
 * @typedef {object} Node a node of the flame graph
 * @property {string} name @property {Class} kind @property {number} value samples
 * @property {Node[]} children
 *
 * @typedef {object} Summary
 * @property {number} ticks
 * @property {Share[]} summary JavaScript, C++, GC, ...
 * @property {(Share & {kind: Class, inclusive: number})[]} hottest by their own samples; inclusive: with
 *   what they called, percent
 * @property {Caller[]} bottomUp percent of the first ones: of all samples
 * @property {boolean} symbols
 */

/** @param {Ticks} ticks @returns {Summary} */
export function summarise({ frames, stacks, classes, symbols }) {
  const total = stacks.length;
  /** @param {number} part */
  const percent = (part) => (total === 0 ? 0 : (100 * part) / total);
  /** @type {Record<string, number>} */
  const byClass = {};
  const own = new Float64Array(frames.length);
  const within = new Float64Array(frames.length);
  for (const [i, stack] of stacks.entries()) {
    byClass[classes[i]] = (byClass[classes[i]] ?? 0) + 1;
    const leaf = stack.at(-1);
    if (leaf !== undefined) own[leaf]++;
    for (const frame of new Set(stack)) within[frame]++;
  }
  const order = [...frames.keys()].filter((i) => own[i] > 0).sort((a, b) => own[b] - own[a]);
  return {
    ticks: total,
    summary: /** @type {Class[]} */ (Object.keys(CLASSES)).map((kind) => ({
      name: CLASSES[kind],
      ticks: byClass[kind] ?? 0,
      percent: percent(byClass[kind] ?? 0),
    })),
    hottest: order.slice(0, HOTTEST).map((i) => ({
      ...frames[i],
      ticks: own[i],
      percent: percent(own[i]),
      inclusive: percent(within[i]),
    })),
    bottomUp: order
      .filter((i) => own[i] >= BOTTOM_UP_SHARE * total)
      .slice(0, BOTTOM_UP)
      .map((i) => {
        const through = stacks.filter((stack) => stack.at(-1) === i);
        return {
          name: frames[i].name,
          ticks: own[i],
          percent: percent(own[i]),
          callers: callersOf(through, 1, frames),
        };
      }),
    symbols,
  };
}

/**
 * @param {number[][]} stacks @param {number} depth how far from the innermost
 * @param {import('./ticks.js').Frame[]} frames @returns {Caller[]}
 */
function callersOf(stacks, depth, frames) {
  if (depth > CALLERS_DEEP) return [];
  /** @type {Map<number, number[][]>} */
  const groups = new Map();
  for (const stack of stacks) {
    const caller = stack.at(-1 - depth);
    if (caller === undefined) continue;
    const group = groups.get(caller);
    if (group) group.push(stack);
    else groups.set(caller, [stack]);
  }
  return [...groups]
    .filter(([, group]) => group.length >= CALLER_SHARE * stacks.length)
    .sort(([, a], [, b]) => b.length - a.length)
    .slice(0, CALLERS_WIDE)
    .map(([caller, group]) => ({
      name: frames[caller].name,
      ticks: group.length,
      percent: (100 * group.length) / stacks.length,
      callers: callersOf(group, depth + 1, frames),
    }));
}

/**
 * @param {Ticks} ticks
 * @param {string} name of the root
 * @returns {Node} callers hold what they call; thinner ones than a two-thousandth are left out
 */
export function flameTree({ frames, stacks }, name) {
  /** @typedef {{value: number, children: Map<number, Branch>}} Branch */
  /** @returns {Branch} */
  const branch = () => ({ value: 0, children: new Map() });
  const root = branch();
  for (const stack of stacks) {
    let at = root;
    at.value++;
    for (const frame of stack) {
      let next = at.children.get(frame);
      if (!next) at.children.set(frame, (next = branch()));
      next.value++;
      at = next;
    }
  }
  const least = root.value / 2000;
  /** @param {Branch} from @returns {Node[]} */
  const grow = ({ children }) =>
    [...children]
      .filter(([, child]) => child.value >= least)
      .sort(([, a], [, b]) => b.value - a.value)
      .map(([frame, child]) => ({
        ...frames[frame],
        value: child.value,
        children: grow(child),
      }));
  return { name, kind: 'js', value: root.value, children: grow(root) };
}
