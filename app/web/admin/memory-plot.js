import { text as textOf } from '../lib/language.js';

/** Makes the plot of memory: one area for each process. */

/** Workers with an area of their own in the plot of memory, the newest ones. */
const MAX_WORKERS = 8;
const KIB_PER_MIB = 1024;
/** A reading of the memory stands for the samples after it, up to this many. */
const MAX_HELD = 8;

/** Colours of areas and lines; see system.css. */
const COLORS = Object.freeze({
  main: '--plot-1',
  zygote: '--plot-2',
  spare: '--plot-3',
  other: '--plot-4',
  earlier: '--plot-5',
  workers: ['--plot-6', '--plot-7', '--plot-8', '--plot-9'],
});

/**
 * @typedef {import('../../system/history.js').History} History
 * @typedef {import('./history-plots.js').Plot} Plot
 */

/**
 * Makes the plot of memory.
 * @param {History['memory']} memory
 * @param {History['processes']} processes
 * @returns {Plot}
 */
export function memoryPlot(memory, processes) {
  const groups = groupsOf(memory, processes);
  const series = groups.map(({ label, color, keys }) => ({
    label,
    color,
    values: memory.map((sample) => (sample === null ? null : mibOf(sample, keys))),
  }));
  return {
    id: 'memory',
    title: textOf('plot.memory'),
    unit: 'MiB',
    kind: 'areas',
    digits: 1,
    minTop: 10,
    series,
    note: memory.every((sample) => sample === null) ? textOf('plot.memory.note') : '',
  };
}

/**
 * Repeats each reading of the memory until the next one, for a while: it may be measured less often than the rest.
 * @param {History['memory']} memory @returns {History['memory']}
 */
export function hold(memory) {
  let last = -Infinity;
  return memory.map((sample, i) => {
    if (sample !== null) last = i;
    return i - last <= MAX_HELD ? memory[last] : null;
  });
}

/** Adds up processes, MiB. @param {number[]} sample key and KiB in turn @param {Set<number>} keys */
function mibOf(sample, keys) {
  let kib = 0;
  for (let i = 0; i < sample.length; i += 2) if (keys.has(sample[i])) kib += sample[i + 1];
  return kib / KIB_PER_MIB;
}

/**
 * Groups processes: those without a game by their name, workers each by itself.
 * @param {History['memory']} memory @param {History['processes']} processes
 * @returns {{label: string, color: string, keys: Set<number>}[]} from the bottom to the top
 */
function groupsOf(memory, processes) {
  /** Index of the last sample of each process. @type {Map<number, number>} */
  const seen = new Map();
  memory.forEach((sample, index) => {
    for (let i = 0; i < (sample?.length ?? 0); i += 2) seen.set(Number(sample?.[i]), index);
  });
  const all = [...seen].map(([key, last]) => ({ key, last, ...processes[key] }));
  const workers = all
    .filter(({ name }) => name === 'worker')
    .sort((a, b) => b.last - a.last || b.key - a.key);
  const [shown, earlier] = [workers.slice(0, MAX_WORKERS), workers.slice(MAX_WORKERS)];
  /** @param {string} label @param {string} color @param {{key: number}[]} list */
  const group = (label, color, list) => {
    const keys = new Set(list.map(({ key }) => key));
    return { label, color, keys };
  };
  const named = (/** @type {'main' | 'zygote' | 'spare' | 'other'} */ name) => {
    const list = all.filter((one) => one.name === name);
    return group(name, COLORS[name], list);
  };
  return [
    named('main'),
    named('zygote'),
    named('spare'),
    ...shown
      .sort((a, b) => a.key - b.key)
      .map((worker, i) =>
        group(`${worker.game} ${worker.pid}`, COLORS.workers[i % COLORS.workers.length], [worker]),
      ),
    group(textOf('plot.memory.earlier'), COLORS.earlier, earlier),
    named('other'),
  ].filter(({ keys }) => keys.size > 0);
}
