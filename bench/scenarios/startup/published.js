/** Declares the table and the plot of docs/results/startup.md. */

const ENGINES = ['zygote', 'thread', 'process'];
const VARIANTS = ['on demand', 'spare', '8 at once'];
const READY = { source: 'startup', metric: 'ready' };

/** @param {string} variant @param {string} engine */
const lineOf = (variant, engine) => ({
  title: `${variant}, ${engine}`,
  where: { variant, engine },
});

/** @type {Record<string, import('../../report/published/declared.js').Table>} */
export const tables = {
  startup: {
    all: READY,
    lines: [
      ...VARIANTS.flatMap((variant) => ENGINES.map((engine) => lineOf(variant, engine))),
      lineOf('locked', 'zygote'),
      lineOf('locked', 'process'),
    ],
    columns: [
      { title: 'ready, ms, Node 20' },
      { title: 'Node 22', source: 'startup-node22' },
      { title: 'Node 24', source: 'startup-node24' },
      { title: 'CPU time, ms, Node 20', metric: 'cpu' },
      { title: 'memory of the program, MiB', metric: 'peak_unreclaimable', scale: 1 / 1024 },
    ],
  },
};

/** @type {Record<string, import('../../report/published/declared.js').DeclaredPlot>} */
export const plots = {
  startup: {
    title: 'Time until a worker is ready',
    unit: 'ms',
    logarithmic: true,
    all: READY,
    groups: VARIANTS.map((variant) => ({ title: variant, where: { variant } })),
    marks: ENGINES.map((engine) => ({ title: engine, tone: engine, where: { engine } })),
  },
};
