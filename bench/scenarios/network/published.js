/** Declares the table and the plot of docs/results/network.md, with the scenario `input`. */

const BESIDE = 'beside 3 matches, 24 pads, 8 screens';
const INPUT = { source: 'input', metric: 'p99' };
const AGE = { source: 'network', metric: 'age_p99' };
const NETWORKS = ['no loss', '2 % loss, 30 ms jitter'];
const SLOW = { level: 'swarm', n: 1, variant: '30 kB/s a client' };

/** @param {string} title @param {string} level */
const inputs = (title, level) =>
  ['websocket', 'udp-addon'].map((variant) => ({
    title: `${variant === 'udp-addon' ? 'datagram' : variant}${title}`,
    tone: variant === 'udp-addon' ? 'zygote' : 'thread',
    where: { variant, level },
  }));
const INPUTS = [...inputs('', 'alone'), ...inputs(', busy TV', BESIDE)];

/** @param {string} level @param {number} n */
const ages = (level, n) =>
  NETWORKS.map((variant) => ({
    title: variant,
    tone: variant === 'no loss' ? 'zygote' : 'process',
    where: { level, n, variant },
  }));

/** @type {Record<string, import('../../report/published/declared.js').Table>} */
export const tables = {
  network: {
    lines: [
      ...INPUTS.map((one) => ({ ...one, title: `input, ${one.title}`, source: 'input' })),
      ...['bumper', 'swarm'].flatMap((level) =>
        ages(level, 8).map((one) => ({
          ...one,
          title: `picture, ${level}, 8 screens, ${one.title}`,
          source: 'network',
        })),
      ),
      { title: 'picture, swarm, 1 screen, 30 kB/s', source: 'network', where: SLOW },
    ],
    columns: [
      { title: 'input p50, ms', metric: 'p50' },
      { title: 'input p99, ms', metric: 'p99' },
      { title: 'age p50, ms', metric: 'age_p50' },
      { title: 'age p99, ms', metric: 'age_p99' },
      { title: 'frames/s', metric: 'rate' },
      { title: 'to a screen, kB/s', metric: 'screen_bytes' },
    ],
  },
};

/** @type {Record<string, import('../../report/published/declared.js').DeclaredPlot>} */
export const plots = {
  network: {
    title: 'Delay of inputs and age of the picture, 99th percentile',
    unit: 'ms',
    logarithmic: true,
    groups: [
      { title: 'from an input to the first frame that shows it', ...INPUT, marks: INPUTS },
      { title: 'age of the picture, bumper, 8 screens', ...AGE, marks: ages('bumper', 8) },
      { title: 'age of the picture, swarm, 8 screens', ...AGE, marks: ages('swarm', 8) },
      {
        title: 'age of the picture, swarm, 1 screen on a slow link',
        ...AGE,
        marks: [{ title: '30 kB/s', tone: 'process', where: SLOW }],
      },
    ],
  },
};
