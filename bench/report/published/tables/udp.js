/** Makes the table of costs of received datagrams in docs/results/udp.md. */
import { listRatios } from '../findings.js';
import { linesOf, pivot } from '../pivot.js';

export const sources = ['udp*'];

const MANY = '64 flows';
const ONE = '1 flow';

/** @type {import('../findings.js').Ratio[]} */
const RATIOS = [
  ...[MANY, ONE].map((level) => ({
    ...ratio('addon-1', 'dgram-1', level),
    text: `A thread of the addon receives {times} as many datagrams per CPU second as one dgram socket, with ${level}.`,
  })),
  {
    ...ratio('addon-1', 'dgram-1-unchecked', MANY),
    text: 'It receives {times} as many as a dgram socket that ignores the bytes.',
  },
  {
    ...ratio('cluster-shared', 'dgram-1', MANY),
    text: 'Two processes that share a socket receive {times} as many as one.',
  },
  {
    ...ratio('dgram-reuseport', 'dgram-1', MANY),
    text: 'Two processes with a socket each receive {times} as many as one.',
  },
  {
    ...ratio('addon-4', 'addon-1', MANY),
    text: 'Four threads of the addon receive {times} as many as one.',
  },
];

/** @param {string} variant @param {string} other @param {string} level */
function ratio(variant, other, level) {
  return {
    metric: 'datagrams_per_cpu_s',
    of: { variant, level },
    to: { variant: other, level },
  };
}

/** @param {import('../../results.js').Results[]} files */
export const render = (files) => `${pivot(files, {
  scenario: 'udp',
  lines: linesOf(files, 'udp', ['variant', 'level']),
  columns: [
    { title: 'thousands per CPU second', metric: 'datagrams_per_cpu_s', scale: 1 / 1000 },
    { title: 'CPU time of each, ns', metric: 'cpu' },
    { title: 'kpps', metric: 'kpps' },
    { title: 'dropped, %', metric: 'dropped' },
    { title: 'balance', metric: 'balance' },
  ],
})}

${listRatios(files, 'udp', RATIOS)}`;
