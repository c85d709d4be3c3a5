/** Makes the table of throughput and CPU time of a pipe between two programs in docs/results/pipe.md. */
import { listRatios } from '../findings.js';
import { linesOf, pivot } from '../pivot.js';

export const sources = ['pipe*'];

const VIDEO = { level: 'ffmpeg' };
const RAW = { level: 'raw', n: 64 * 1024 };

/** @type {import('../findings.js').Ratio[]} */
const RATIOS = /** @type {const} */ ([
  [
    'pitv',
    'node-default',
    'pitv’s pipe, where JavaScript sees each byte, passes {times} as many bytes as Node’s `pipe()`',
  ],
  ['pitv', 'shell', 'It passes {times} as many as a shell’s pipe'],
  ['pitv-direct', 'shell', 'Joined in the kernel, it passes {times} as many as a shell’s pipe'],
]).flatMap(([variant, other, text]) =>
  [RAW, VIDEO].map((where) => ({
    metric: 'throughput',
    of: { variant, ...where },
    to: { variant: other, ...where },
    text: `${text}, ${where === RAW ? 'without a codec' : 'between codecs'}.`,
  })),
);

/** @param {import('../../results.js').Results[]} files */
export const render = (files) => `${pivot(files, {
  scenario: 'pipe',
  lines: linesOf(files, 'pipe', ['variant']),
  columns: [
    { title: 'ffmpeg to ffmpeg, MB/s', metric: 'throughput', where: VIDEO },
    { title: 'CPU, ms/GB', metric: 'cpu', where: VIDEO },
    { title: 'without a codec, MB/s', metric: 'throughput', where: RAW },
    { title: 'CPU, ms/GB', metric: 'cpu', where: RAW },
  ],
})}

${listRatios(files, 'pipe', RATIOS)}`;
