/**
 * Fuzzes all targets, or one: `node test/fuzz/cli.js [--minutes N | --runs N] [--target NAME] [--seed N]
 * [--at PATH]`. Prints a table; exits 1 when something was found.
 */
import { parseArgs } from 'node:util';
import { explain, leakOf, listTargets, run } from './campaign.js';

const { values } = parseArgs({
  options: {
    minutes: { type: 'string' },
    runs: { type: 'string' },
    target: { type: 'string' },
    seed: { type: 'string' },
    at: { type: 'string' },
  },
});
const MINUTES_DEFAULT = 5;

const targets = listTargets().filter(({ name }) => !values.target || name === values.target);
if (targets.length === 0) {
  const names = listTargets().map(({ name }) => name);
  console.error(`There is no target "${values.target}". The targets are ${names.join(', ')}.`);
  process.exit(2);
}
const runs = values.runs ? Number(values.runs) : Infinity;
const minutes = Number(values.minutes ?? MINUTES_DEFAULT);
const options = {
  seed: values.seed ? Number(values.seed) | 0 : Date.now() & 0x7fffffff,
  runs,
  seconds: values.runs ? Infinity : (minutes * 60) / targets.length,
  at: values.at || undefined,
};

const number = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
console.log('| target | inputs | seconds | inputs/s | seed | crashes | leaks |');
console.log('| --- | ---: | ---: | ---: | ---: | ---: | --- |');
for (const target of targets) {
  const report = await run(target, options);
  const { name, inputs, seconds, seed, failure } = report;
  const rate = number.format(inputs / seconds);
  const cells = [name, number.format(inputs), number.format(seconds), rate, seed];
  const leak = leakOf(report);
  console.log(`| ${[...cells, failure ? 1 : 0, leak || 'none'].join(' | ')} |`);
  if (failure) console.error(explain(report));
  else if (leak) console.error(`${name}: leaks ${leak} (seed ${seed})`);
  if (failure || leak) process.exitCode = 1;
}
