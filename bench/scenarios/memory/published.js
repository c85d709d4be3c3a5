/** Declares the table and the plot of docs/results/memory.md. */

const MIB = { source: 'memory', metric: 'unreclaimable', scale: 1 / 1024 };
const LEVELS = ['mark', 'seeds', 'identical'];

const ENGINES = ['zygote', 'thread', 'process'].map((engine) => ({
  title: engine,
  tone: engine,
  where: { variant: engine, engine, level: null },
}));
const NEWER = ['24', '26'].flatMap((node) =>
  ['zygote', 'thread'].map((engine) => ({
    title: `${engine}, Node ${node}`,
    source: 'memory-nodes',
    where: { variant: engine, engine, node },
  })),
);
const MERGED = LEVELS.map((level) => ({
  title: `process, KSM ${level}`,
  tone: level,
  where: { variant: 'process + KSM', level },
}));
const LOCKED = ['zygote', 'process'].map((engine) => ({
  title: `locked, ${engine}`,
  where: { variant: 'locked', engine },
}));

/** @type {Record<string, import('../../report/published/declared.js').Table>} */
export const tables = {
  memory: {
    all: MIB,
    lines: [...ENGINES, ...LOCKED, ...MERGED, ...NEWER],
    columns: [
      ...[1, 2, 4, 8].map((workers) => ({
        title: workers === 1 ? '1 game, MiB' : `${workers} games`,
        where: { workers },
      })),
      {
        title: 'each game from the 2nd to the 4th',
        where: { workers: 4 },
        less: { workers: 1 },
        scale: 1 / 1024 / 3,
      },
      {
        title: 'merging saves of 8 games, %',
        metric: 'saved_merging',
        where: { workers: 8 },
        scale: 1,
      },
    ],
  },
};

/** @type {Record<string, import('../../report/published/declared.js').DeclaredPlot>} */
export const plots = {
  memory: {
    title: 'Memory of the whole TV that the kernel cannot take back',
    unit: 'MiB',
    all: MIB,
    groups: [1, 4, 8].map((workers) => ({
      title: workers === 1 ? '1 game' : `${workers} games`,
      where: { workers },
    })),
    marks: [...ENGINES, ...MERGED],
  },
};
