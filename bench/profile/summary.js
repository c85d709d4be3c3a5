/** Summarises samples: by kind, by function, and by caller of the hottest functions. */
import { CLASSES } from './ticks.js';

const MAX_HOTTEST = 15;
const MAX_BOTTOM_UP = 8;
/** Functions with at least this share of all samples are listed with their callers. */
const MIN_BOTTOM_UP_SHARE = 0.01;
const MAX_CALLER_DEPTH = 5;
const MAX_CALLERS = 3;
/** Callers with a smaller share of their function's samples are left out. */
const MIN_CALLER_SHARE = 0.05;

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
 * @typedef {object} Summary
 * @property {number} ticks
 * @property {Share[]} summary JavaScript, C++, GC, ...
 * @property {(Share & {kind: Class, inclusive: number})[]} hottest sorted by their own samples; inclusive: percent,
 *   with called functions
 * @property {Caller[]} bottomUp the hottest functions with their callers; percent: of all samples
 * @property {boolean} symbols
 */

/** Summarises ticks. @param {Ticks} ticks @returns {Summary} */
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
    hottest: order.slice(0, MAX_HOTTEST).map((i) => ({
      ...frames[i],
      ticks: own[i],
      percent: percent(own[i]),
      inclusive: percent(within[i]),
    })),
    bottomUp: order
      .filter((i) => own[i] >= MIN_BOTTOM_UP_SHARE * total)
      .slice(0, MAX_BOTTOM_UP)
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
 * Lists the callers in stacks.
 * @param {number[][]} stacks @param {number} depth number of frames above the innermost one
 * @param {import('./ticks.js').Frame[]} frames @returns {Caller[]}
 */
function callersOf(stacks, depth, frames) {
  if (depth > MAX_CALLER_DEPTH) return [];
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
    .filter(([, group]) => group.length >= MIN_CALLER_SHARE * stacks.length)
    .sort(([, a], [, b]) => b.length - a.length)
    .slice(0, MAX_CALLERS)
    .map(([caller, group]) => ({
      name: frames[caller].name,
      ticks: group.length,
      percent: (100 * group.length) / stacks.length,
      callers: callersOf(group, depth + 1, frames),
    }));
}
