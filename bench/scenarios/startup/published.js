/** Declares the table and the plot of docs/results/startup.md. */

const READY = { source: 'startup', metric: 'ready' };
const [ON_DEMAND, SPARE, AT_ONCE, LOCKED] = ['on demand', 'spare', '8 at once', 'locked'].map(
  (variant) => ({ variant }),
);
/** The version of Node.js of the plot. */
const NODE = '24';

/** @param {string} engine @param {string} node */
const ours = (engine, node) => ({
  title: `${engine}, Node ${node}`,
  tone: engine,
  where: { engine, node },
});

/** Workers of other runtimes, without an engine. */
const OTHERS = ['Bun', 'Deno'].flatMap((runtime) =>
  ['thread', 'process'].map((level) => ({
    title: `${runtime}, ${level}`,
    tone: 'other',
    where: { engine: runtime.toLowerCase(), level },
  })),
);
const OURS = ['zygote', 'thread', 'process'].map((engine) => ours(engine, NODE));

/** @type {Record<string, import('../../report/published/declared.js').Table>} */
export const tables = {
  startup: {
    all: READY,
    lines: [
      ...['20', '24', '26'].map((node) => ours('zygote', node)),
      ...['thread', 'process'].flatMap((engine) => ['20', '24'].map((node) => ours(engine, node))),
      ...OTHERS,
    ],
    columns: [
      { title: 'ready on demand, ms', where: ON_DEMAND },
      { title: 'a C program of that size, ms', where: { variant: 'limit' } },
      { title: 'from a spare, ms', where: SPARE },
      { title: 'the last of 8 at once, ms', where: AT_ONCE },
      { title: 'locked, ms', where: LOCKED },
      { title: 'CPU time, ms', metric: 'cpu', where: ON_DEMAND },
      {
        title: 'memory of the program, MiB',
        metric: 'peak_unreclaimable',
        where: ON_DEMAND,
        scale: 1 / 1024,
      },
    ],
  },
};

/** @type {Record<string, import('../../report/published/declared.js').DeclaredPlot>} */
export const plots = {
  startup: {
    title: `Time until a worker is ready; Node.js ${NODE}, Bun and Deno`,
    unit: 'ms',
    logarithmic: true,
    all: READY,
    groups: [
      { title: 'on demand', where: ON_DEMAND, marks: [...OURS, ...OTHERS] },
      { title: 'spare', where: SPARE, marks: OURS },
      { title: '8 at once', where: AT_ONCE, marks: [...OURS, ...OTHERS] },
    ],
  },
};
