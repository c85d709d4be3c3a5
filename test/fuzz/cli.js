/** `make fuzz`: fuzzes all targets, or one. */
import { markdownRow } from '../../bench/report/markdown.js';
import { choiceOption, numberOption, parseOptions, seedOption } from '../support/cli.js';
import { EXTENT } from '../support/extent.js';
import { cellsOf, tableOf } from '../support/report.js';
import { explain, leakOf, listTargets, run } from './campaign.js';

const HELP = `
Usage: node test/fuzz/cli.js [options]

Fuzzes all targets, or one, and looks for crashes, unauthorised effects and leaks.

  --minutes N    duration of all targets together (default: 5)
  --runs N       inputs for each target, instead of a duration
  --target NAME  only this target
  --seed N       repeats the inputs of an earlier run (default: the time)
  --at PATH      only this input, as the message of a failure names it
  --help         prints this help

Prints a table. Exits with 1 when something was found.
`;

const values = parseOptions(HELP);
process.env[EXTENT] = '1'; // the targets' processes inherit it
const all = listTargets();
const names = all.map(({ name }) => name);
const only = values.target && choiceOption('target', values.target, names);
const targets = all.filter(({ name }) => !only || name === only);
const runs = values.runs ? numberOption('runs', values.runs, { above: 0 }) : Infinity;
const minutes = numberOption('minutes', values.minutes, { above: 0, whole: false });
const options = {
  seed: seedOption(values.seed) | 0,
  runs,
  seconds: values.runs ? Infinity : (minutes * 60) / targets.length,
  at: values.at || undefined,
};

const number = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
/** @type {import('../support/report.js').Columns<import('./campaign.js').Report>} */
const COLUMNS = [
  ['target', ({ name }) => name],
  ['inputs', ({ inputs }) => number.format(inputs)],
  ['seconds', ({ seconds }) => number.format(seconds)],
  ['inputs/s', ({ inputs, seconds }) => number.format(inputs / seconds)],
  ['seed', ({ seed }) => seed],
  ['crashes', ({ failure }) => (failure ? 1 : 0)],
  ['leaks', (report) => leakOf(report) || 'none'],
];
console.log(tableOf(COLUMNS, [], 1));
for (const target of targets) {
  const report = await run(target, options);
  console.log(markdownRow(cellsOf(COLUMNS, report)));
  if (report.details) console.log(`\n${report.details}`);
  const leak = leakOf(report);
  if (report.failure) console.error(explain(report));
  else if (leak) console.error(`${report.name}: leaks ${leak} (seed ${report.seed})`);
  if (report.failure || leak) process.exitCode = 1;
}
