/** Declares the tables of results in README.md and README.ko.md. */

const READY = { source: 'startup', metric: 'ready' };
const LINES = [
  { ...READY, where: { variant: 'on demand', node: '24' } },
  { ...READY, where: { variant: 'on demand', node: '20' } },
  { ...READY, where: { variant: '8 at once', node: '24' } },
  {
    source: 'memory-nodes',
    metric: 'unreclaimable',
    where: { level: null, workers: 4, node: '24' },
    less: { workers: 1 },
    scale: 1 / 1024 / 3,
  },
];
const ENGINES = ['zygote', 'thread', 'process'];

/**
 * @param {string[]} titles of the lines @param {string[]} engines titles of the columns
 * @returns {import('./declared.js').Table}
 */
const readmeTable = (titles, engines) => ({
  isBrief: true,
  lines: LINES.map((line, i) => ({ ...line, title: titles[i] })),
  columns: ENGINES.map((engine, i) => ({
    title: engines[i],
    where: { engine },
    whereIn: { 'memory-nodes': { variant: engine } },
  })),
});

/** @type {Record<string, import('./declared.js').Table>} */
export const tables = {
  readme: readmeTable(
    [
      'a worker is ready, ms',
      'the same with Node.js 20, ms',
      'the last of 8 at once, ms',
      'memory of each game from the 2nd to the 4th, MiB',
    ],
    ENGINES,
  ),
  'readme-ko': readmeTable(
    [
      '워커가 준비될 때까지, ms',
      'Node.js 20에서, ms',
      '8개를 한꺼번에 시작할 때 마지막까지, ms',
      '두 번째부터 네 번째까지 게임 하나의 메모리, MiB',
    ],
    ['자이고트', '스레드', '프로세스'],
  ),
};
