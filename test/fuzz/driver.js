/** `make fuzz`: fuzzes all targets, or one. */
import { EXTENT } from '../support/extent.js';
import { tableOf } from '../../bench/report/markdown.js';
import { explain, leakOf, listTargets, run } from './campaign.js';

const all = listTargets();
const number = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
/** @type {import('../../bench/report/markdown.js').Columns<import('./campaign.js').Report>} */
const COLUMNS = [
  ['target', ({ name }) => name],
  ['inputs', ({ inputs }) => number.format(inputs)],
  ['seconds', ({ seconds }) => number.format(seconds)],
  ['inputs/s', ({ inputs, seconds }) => number.format(inputs / seconds)],
  ['seed', ({ seed }) => seed],
  ['crashes', ({ failure }) => (failure ? 1 : 0)],
  ['leaks', (report) => leakOf(report) || 'none'],
];

/** @type {import('../drive.js').Driver} */
export const driver = {
  title: 'Fuzzing',
  about: 'Fuzzes all targets, or one, and looks for crashes, unauthorised effects and leaks.',
  random: true,
  options: {
    MINUTES: { about: 'duration of all targets together', value: 5, above: 0, part: true },
    RUNS: { about: 'inputs for each target, instead of a duration', value: Infinity, above: 0 },
    TARGET: { about: 'only this target', value: '', choices: all.map(({ name }) => name) },
    AT: { about: 'only this input, as the message of a failure names it', value: '' },
  },
  async drive({ MINUTES, RUNS: runs, TARGET, SEED, AT }, { signal, show }) {
    process.env[EXTENT] = 'all'; // the targets' processes inherit it
    const targets = all.filter(({ name }) => !TARGET || name === TARGET);
    const seconds = runs === Infinity ? (MINUTES * 60) / targets.length : Infinity;
    const reports = [];
    for (const target of targets) {
      if (signal.aborted) break;
      const report = await run(target, { seed: SEED | 0, runs, seconds, at: AT || undefined });
      if (signal.aborted) break; // Ctrl-C has ended the target, too
      show(report);
      reports.push(report);
    }
    const problems = reports.flatMap((report) => {
      const leak = leakOf(report);
      if (report.failure) return explain(report);
      return leak ? `${report.name}: leaks ${leak} (seed ${report.seed})` : [];
    });
    const details = reports.flatMap((report) => report.details ?? []);
    // The published page of the packages quotes the first table.
    return { paragraphs: [...details, tableOf(COLUMNS, reports, 1)], problems };
  },
};
