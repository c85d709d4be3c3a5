/** `make fuzz`: fuzzes all targets, or one. */
import { markdownRow, markdownTable } from '../../bench/report/markdown.js';
import { choiceOption, numberOption, parseOptions } from '../support/cli.js';
import { EXTENT } from '../support/extent.js';
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

const values = parseOptions(HELP, {
  minutes: '5',
  runs: undefined,
  target: undefined,
  seed: String(Date.now() & 0x7fffffff),
  at: undefined,
});
const all = listTargets();
if (values.target) {
  choiceOption(
    'target',
    values.target,
    all.map(({ name }) => name),
  );
}
process.env[EXTENT] = '1'; // the targets' processes inherit it
const targets = all.filter(({ name }) => !values.target || name === values.target);
const runs = values.runs ? numberOption('runs', values.runs, { above: 0 }) : Infinity;
const minutes = numberOption('minutes', values.minutes, { above: 0, whole: false });
const options = {
  seed: numberOption('seed', values.seed) | 0,
  runs,
  seconds: values.runs ? Infinity : (minutes * 60) / targets.length,
  at: values.at || undefined,
};

const number = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
console.log(
  markdownTable(['target', 'inputs', 'seconds', 'inputs/s', 'seed', 'crashes', 'leaks'], [], 1),
);
for (const target of targets) {
  const report = await run(target, options);
  const { name, inputs, seconds, seed, failure } = report;
  const rate = number.format(inputs / seconds);
  const cells = [name, number.format(inputs), number.format(seconds), rate, seed];
  const leak = leakOf(report);
  console.log(markdownRow([...cells, failure ? 1 : 0, leak || 'none']));
  if (report.details) console.log(`\n${report.details}`);
  if (failure) console.error(explain(report));
  else if (leak) console.error(`${name}: leaks ${leak} (seed ${seed})`);
  if (failure || leak) process.exitCode = 1;
}
