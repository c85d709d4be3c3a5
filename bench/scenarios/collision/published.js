/** Declares the table and the plot of docs/results/games.md. */

const FRAME = { source: 'collision', metric: 'frame' };
const LINES = [
  ['c-native'],
  ['c'],
  ['pitv'],
  ['pitv', '20'],
  ['kdbush'],
  ['flatbush'],
  ['rbush'],
  ['rapier-simd'],
  ['check2d'],
  ['matter-js'],
].map(([variant, node = '24']) => ({
  title: node === '24' ? variant : `${variant}, Node ${node}`,
  tone: variant === 'pitv' ? 'zygote' : 'other',
  where: { variant, node },
}));

/** @type {Record<string, import('../../report/published/declared.js').Table>} */
export const tables = {
  collision: {
    all: FRAME,
    lines: LINES,
    columns: [
      { title: '1,000 equal circles, ms', where: { level: 'uniform', n: 1000 } },
      { title: '5,000 equal circles', where: { level: 'uniform', n: 5000 } },
      { title: '20,000 equal circles', where: { level: 'uniform', n: 20_000 } },
      { title: '5,000 of mixed sizes', where: { level: 'mixed sizes', n: 5000 } },
      { title: '5,000 in clusters', where: { level: 'clustered', n: 5000 } },
    ],
  },
};

/** @type {Record<string, import('../../report/published/declared.js').DeclaredPlot>} */
export const plots = {
  collision: {
    title: 'CPU time to move circles for a frame and find all overlapping pairs',
    unit: 'ms',
    logarithmic: true,
    all: FRAME,
    groups: [
      { title: '5,000 equal circles, spread evenly', where: { level: 'uniform', n: 5000 } },
      { title: '5,000 circles in clusters', where: { level: 'clustered', n: 5000 } },
    ],
    marks: LINES.filter(({ where }) => where.node === '24'),
  },
};
