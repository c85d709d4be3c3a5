/** Formats a profile for the terminal: the figures of the clients, and the hottest functions of each thread. */
import { alignColumns } from '../../ksm/table.js';

const ROOT = new URL('../../', import.meta.url).href;
const NAME_WIDTH = 72;
const MAX_HOTTEST = 15;

/** @typedef {import('node:inspector').Profiler.Profile} CpuProfile */

/** @param {number} value @param {number} width */
const percentOf = (value, width = 6) => `${value.toFixed(1)}%`.padStart(width);
/** @param {string} name */
const cut = (name) => (name.length > NAME_WIDTH ? `${name.slice(0, NAME_WIDTH - 1)}…` : name);

/** Splits a name into words: `requestsPerSecond` becomes `requests per second`. @param {string} name */
const words = (name) => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);

/** Formats a profile. @param {import('./run.js').Profile} profile @returns {string} lines */
export function profileText({ title, figures, loopMs, threads }) {
  const rows = Object.entries({ ...figures, eventLoopDelayP99Ms: loopMs.p99 });
  const lines = [
    title,
    ...alignColumns(
      rows.map(([name, value]) => [`  ${words(name)}`, value.toFixed(1)]),
      (i) => i === 1,
    ),
    ...threads.flatMap(({ name, busy, profile }) => [
      '',
      `== ${name}: ${busy}`,
      '   self  with callees  name',
      ...hottest(profile).map(
        (row) => `${percentOf(row.self, 7)}        ${percentOf(row.total)}  ${cut(row.name)}`,
      ),
    ]),
    '',
    'Percentages are shares of the samples in which the thread was awake. Native code without a name is "(program)".',
    'Work in the thread pool (hashing, files, compression) is not included.',
  ];
  return `${lines.join('\n')}\n`;
}

/**
 * Lists the functions with the most samples of their own.
 * @param {CpuProfile} profile
 * @returns {{name: string, self: number, total: number}[]} percent of the samples of the awake thread; total: with the
 *   functions it called
 */
export function hottest({ nodes }) {
  const parents = new Map(
    nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node])),
  );
  /** @type {Map<string, {name: string, self: number, total: number}>} */
  const rows = new Map();
  let awake = 0;
  for (const { id, hitCount = 0, callFrame } of nodes) {
    if (hitCount === 0 || callFrame.functionName === '(idle)') continue;
    awake += hitCount;
    const names = [nameOf(callFrame)];
    for (let at = parents.get(id); at; at = parents.get(at.id)) names.push(nameOf(at.callFrame));
    for (const name of new Set(names)) {
      const row = rows.get(name) ?? { name, self: 0, total: 0 };
      if (name === names[0]) row.self += hitCount;
      row.total += hitCount;
      rows.set(name, row);
    }
  }
  return [...rows.values()]
    .filter(({ self }) => self > 0)
    .sort((a, b) => b.self - a.self)
    .slice(0, MAX_HOTTEST)
    .map(({ name, self, total }) => ({
      name,
      self: (100 * self) / awake,
      total: (100 * total) / awake,
    }));
}

/** @param {import('node:inspector').Runtime.CallFrame} frame */
function nameOf({ functionName, url, lineNumber }) {
  const name = functionName || '(anonymous)';
  return url ? `${name} ${url.replace(ROOT, '')}:${lineNumber + 1}` : name;
}
