/** Makes the table of the runtime's goals in docs/results/goals.md. */
import { ENGINES } from '../../../../app/engine/index.js';
import { GOAL_HEAD, goalLines } from '../goals.js';
import { markdownTable } from '../pivot.js';

/**
 * @typedef {import('../goals.js').Goal} Goal
 * @typedef {import('../goals.js').Case} Case
 */

export const sources = [
  'startup',
  'startup-node22',
  'startup-node24',
  'memory',
  'growth',
  'collision',
  'runtime',
  'ksm',
  'loop',
  'mappings-armhf',
];

const KIB_PER_MIB = 1024;
const BODIES = 5000;
const ZYGOTE = { engine: 'zygote' };
const START = { scenario: 'startup', metric: 'ready' };
const ON_DEMAND = 'on demand';
const BURST = '8 at once';
const MATCHES = 8;
const MEMORY = { scenario: 'memory', metric: 'unreclaimable', engine: 'zygote', workers: MATCHES };

/**
 * @param {string} wanted @param {number} part such as 8 for an eighth
 * @param {string} engine the one that is compared with @returns {Goal}
 */
const shareOfStart = (wanted, part, engine) => ({
  wanted,
  limit: 1 / part,
  unit: 'times',
  cases: [ON_DEMAND, BURST].map((variant) => ({
    title: variant,
    of: { ...START, ...ZYGOTE, variant },
    to: [{ ...START, engine, variant }],
  })),
});

/** @param {string} wanted @param {number} limit @param {string} variant @returns {Goal} */
const start = (wanted, limit, variant) => ({
  wanted,
  limit,
  unit: 'ms',
  cases: [{ title: '', of: { ...START, ...ZYGOTE, variant } }],
});

/** @param {string} wanted @param {number} limit MiB @param {string} metric @returns {Goal} */
const memoryOnBoard = (wanted, limit, metric) => ({
  wanted,
  limit,
  unit: 'MiB',
  scale: 1 / KIB_PER_MIB,
  cases: [{ title: '', of: { scenario: 'mappings', metric, ...ZYGOTE, workers: 4 } }],
});

/** @param {string} level @param {number} limit % @returns {Goal} */
const savedInWorkers = (level, limit) => ({
  wanted: `KSM, \`${level}\`: at least ${limit} % of the own memory of 8 workers`,
  limit,
  atLeast: true,
  unit: '%',
  cases: [
    {
      title: '',
      of: { scenario: 'ksm', metric: 'saved_workers', variant: level, workers: MATCHES },
    },
  ],
});

/** @param {string} prefix of the goals @returns {Goal[]} */
function sharesOfStart(prefix) {
  const both = `${prefix}on demand and 8 at once, at most`;
  return [
    shareOfStart(`${both} a thirtieth of processes`, 30, 'process'),
    shareOfStart(`${both} an eighth of threads`, 8, 'thread'),
  ];
}

/** @type {Goal[]} */
export const GOALS = [
  start('a child of the zygote, on demand, ready within 3 ms', 3, ON_DEMAND),
  start('8 of them at once, all within 12 ms', 12, BURST),
  ...sharesOfStart(''),
  start('a locked child ready within 10 ms', 10, 'locked'),
  memoryOnBoard('armhf, the whole TV with 4 matches at most 24 MiB', 24, 'all_unreclaimable'),
  memoryOnBoard('armhf, its main process at most 10 MiB', 10, 'main_unreclaimable'),
  {
    wanted: 'each further match at most 1.2 MiB',
    limit: 1.2,
    unit: 'MiB',
    scale: 1 / KIB_PER_MIB,
    cases: [
      {
        title: '',
        of: { scenario: 'growth', metric: 'unreclaimable_added_per_worker', ...ZYGOTE, workers: 8 },
      },
    ],
  },
  {
    wanted: 'a locked match of a package at most 0.5 MiB more',
    limit: 0.5,
    unit: 'MiB',
    scale: 1 / KIB_PER_MIB / MATCHES,
    cases: [
      {
        title: '',
        of: { ...MEMORY, variant: 'locked' },
        minus: { ...MEMORY, variant: 'zygote', level: null },
      },
    ],
  },
  savedInWorkers('seeds', 75),
  savedInWorkers('identical', 90),
  {
    wanted: 'collisions of 5,000 equal circles at most 1.3 times native C',
    limit: 1.3,
    unit: 'times',
    cases: [
      {
        title: '',
        metric: 'frame',
        of: { scenario: 'collision', variant: 'pitv', level: 'uniform', n: BODIES },
        to: [{ scenario: 'collision', variant: 'c-native', level: 'uniform', n: BODIES }],
      },
    ],
  },
  {
    wanted: 'games on all cores at most 5 % over the ideal, after start-up',
    limit: 5,
    unit: '%',
    cases: ENGINES.map((engine) => ({
      title: engine,
      of: { scenario: 'runtime', metric: 'computing_overhead', variant: engine, workers: 4 },
    })),
  },
  {
    wanted: 'event-loop delay, 8 matches that keep all cores busy, p99 at most 2 ms',
    limit: 2,
    unit: 'ms',
    cases: ENGINES.map((engine) => ({
      title: engine,
      of: { scenario: 'loop', metric: 'loop_p99', variant: 'busy', engine, n: 8 },
    })),
  },
];

/** @param {import('../../results.js').Results[]} files */
export function render(files) {
  const majors = [...new Set(files.map(majorOf))].sort();
  return markdownTable(
    GOAL_HEAD,
    majors.flatMap((major, i) => {
      const rows = files.filter((one) => majorOf(one) === major).flatMap((one) => one.rows);
      return goalLines(rows, i === 0 ? GOALS : sharesOfStart(`Node ${major}: `));
    }),
  );
}

/** @param {import('../../results.js').Results} results @returns {number} major version of Node.js */
const majorOf = ({ machine }) => Number.parseInt(machine.node.replace(/^v/, ''), 10);
