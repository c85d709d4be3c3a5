/**
 * `make faults`: injects seeded faults into a running TV and asserts that matches come back. Prints the
 * result as Markdown on stdout and progress on stderr. Exits 1 when an assertion is broken.
 */
import { parseArgs } from 'node:util';
import { conditions, startOfRun } from '../support/conditions.js';
import { METHOD, problemsOf, tableOf } from './report.js';
import { runFaults } from './run.js';

const { values } = parseArgs({
  options: {
    count: { type: 'string', default: '1000' },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    engine: { type: 'string', default: 'zygote' },
    only: { type: 'string', default: '' },
    note: { type: 'string' },
  },
});
const count = Number(values.count);
const seed = Number(values.seed);
if (!(count > 0) || !Number.isSafeInteger(count) || !Number.isSafeInteger(seed)) {
  console.error('COUNT has to be a whole number above 0, SEED a whole number.');
  process.exit(2);
}

const interrupted = new AbortController();
for (const name of ['SIGINT', 'SIGTERM']) process.once(name, () => interrupted.abort());

const start = startOfRun();
const result = await runFaults({
  count,
  seed,
  engine: values.engine,
  only: values.only,
  signal: interrupted.signal,
  onFault: (fault) => console.error(JSON.stringify(fault)),
});
const problems = problemsOf(result);
if (interrupted.signal.aborted) problems.push('interrupted');
const only = values.only && ` ONLY="${values.only}"`;
const command = `make faults COUNT=${count} SEED=${seed} ENGINE=${values.engine}${only}`;
console.log(
  [
    '# Faults',
    '',
    conditions({ command, ...start, note: values.note }),
    '',
    tableOf(result),
    '',
    METHOD,
    '',
    problems.length > 0 ? problems.map((problem) => `- FAILED: ${problem}`).join('\n') : 'Passed.',
  ].join('\n'),
);
process.exitCode = problems.length > 0 ? 1 : 0;
