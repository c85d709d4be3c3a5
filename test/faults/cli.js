/** `make faults`: injects seeded faults into a running TV and asserts that matches recover. */
import { ENGINES } from '../../app/engine/index.js';
import { choiceOption, numberOption, parseOptions, seedOption } from '../support/cli.js';
import { conditions, startOfRun } from '../../bench/machine/conditions.js';
import { printReport } from '../../bench/report/markdown.js';
import { METHOD, describeResult, problemsOf } from './report.js';
import { runFaults } from './injector.js';

const HELP = `
Usage: node test/faults/cli.js [options]

Injects faults into a running TV and checks that every match recovers.

  --count N      number of faults (default: 1000)
  --seed N       repeats the faults of an earlier run (default: the time)
  --engine NAME  engine of the TV (default: zygote)
  --only TEXT    only the faults with this text in their name
  --note TEXT    a sentence for the conditions of the result
  --help         prints this help

Prints Markdown on stdout and each fault as JSON on stderr. Exits with 1 when an assertion is broken.
`;

const values = parseOptions(HELP);
const { only = '', note } = values;
const count = numberOption('count', values.count, { above: 0 });
const seed = seedOption(values.seed);
const engine = choiceOption('engine', values.engine, ENGINES);

const interrupted = new AbortController();
for (const name of ['SIGINT', 'SIGTERM']) process.once(name, () => interrupted.abort());

const start = startOfRun();
const result = await runFaults({
  count,
  seed,
  engine,
  only,
  signal: interrupted.signal,
  onFault: (fault) => console.error(JSON.stringify(fault)),
});
const problems = problemsOf(result);
if (interrupted.signal.aborted) problems.push('interrupted');
const onlySome = only && ` ONLY="${only}"`;
const command = `make faults COUNT=${count} SEED=${seed} ENGINE=${engine}${onlySome}`;
printReport(
  'Faults',
  [conditions({ command, ...start, note }), describeResult(result), METHOD],
  problems,
);
