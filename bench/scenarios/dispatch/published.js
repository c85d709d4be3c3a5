/** Declares the table and the plot of docs/results/pool.md, and the table of engines in docs/runtime.md. */

const MIB = 1024 * 1024;
const NOTHING = { level: 'copied', workers: 2, n: 0 };
const COPIED = { level: 'copied', workers: 2, n: MIB };
const IDLE = { level: 'idle', workers: 8, n: 0 };
const KILLED = { level: 'killed', workers: 1, n: 0 };
const OTHERS = [
  'piscina',
  'tinypool process',
  'poolifier thread',
  'bare postMessage',
  'bare IPC advanced',
  'Bun Worker',
  'Bun IPC',
  'Deno Worker',
  'Deno IPC',
];
const ENGINES = ['zygote', 'process', 'thread'];

/** @param {string} variant @param {string} tone */
const lineOf = (variant, tone) => ({ title: variant, tone, where: { variant } });
const OURS = ENGINES.map((engine) => lineOf(`pitv ${engine}`, engine));
const LINES = [...OURS, ...OTHERS.map((variant) => lineOf(variant, 'other'))];

const EMPTY = { title: 'CPU time of an empty task, µs', metric: 'cpu', where: NOTHING };
const ONE_MIB = { title: 'with 1 MiB copied, µs', metric: 'cpu', where: COPIED };
const LATENCY = { title: 'latency, ms', metric: 'latency', where: NOTHING };
const FIRST = { title: 'first result of the first pool, ms', metric: 'cold', where: NOTHING };
const SECOND = { title: 'of a second pool, ms', metric: 'second_pool', where: NOTHING };
const KILL = { title: 'after the kill of a worker, ms', metric: 'recovery', where: KILLED };
const MEMORY = {
  title: 'memory of 8 idle workers, MiB',
  metric: 'idle_memory',
  where: IDLE,
  scale: 1 / 1024,
};

/** @type {Record<string, import('../../report/published/declared.js').Table>} */
export const tables = {
  pool: {
    all: { source: 'dispatch' },
    lines: LINES,
    columns: [
      EMPTY,
      ONE_MIB,
      LATENCY,
      { title: 'after a pause, ms', metric: 'latency_idle', where: NOTHING },
      FIRST,
      SECOND,
      KILL,
      MEMORY,
    ],
  },
  'dispatch-engines': {
    all: { source: 'dispatch' },
    lines: [...OURS, lineOf('piscina', 'other')],
    columns: [
      EMPTY,
      ONE_MIB,
      {
        title: 'with 1 MiB from allocate(), µs',
        metric: 'cpu',
        where: { ...COPIED, level: 'allocated' },
      },
      LATENCY,
      FIRST,
      SECOND,
      KILL,
      MEMORY,
    ],
  },
};

/** @type {Record<string, import('../../report/published/declared.js').DeclaredPlot>} */
export const plots = {
  pool: {
    title: 'CPU time of a task, in the program and its workers',
    unit: 'µs',
    logarithmic: true,
    all: { source: 'dispatch', metric: 'cpu' },
    groups: [
      { title: 'an empty task', where: NOTHING },
      { title: '1 MiB copied to the worker and back', where: COPIED },
    ],
    marks: LINES,
  },
};
