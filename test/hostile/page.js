/**
 * Prints the figures of `make hostile` (test/output/hostile-ENGINE.json) as a Markdown page.
 * `--note TEXT` says what else ran on the machine.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { conditions } from '../../bench/machine/conditions.js';
import { printReport } from '../../bench/report/markdown.js';
import { tableOf } from '../support/report.js';
import { COLUMNS, RULES } from './support/trial.js';

const ENGINES = ['zygote', 'process', 'thread'];

const { values } = parseArgs({ options: { note: { type: 'string' } } });

/** @typedef {{commit: string, date: string, attacks: import('./support/trial.js').Figures[]}} Run */

const runs = ENGINES.map((engine) => {
  const file = new URL(`../output/hostile-${engine}.json`, import.meta.url);
  const run = /** @type {Run} */ (JSON.parse(readFileSync(file, 'utf8')));
  return { engine, ...run };
});
const [{ commit, date, attacks }] = runs;
const about = conditions({ command: 'make hostile', commit, date, note: values.note });
const broken = runs.flatMap((run) =>
  run.attacks.flatMap((one) =>
    one.broken.map((sentence) => `${run.engine}, ${one.attack}: ${sentence}`),
  ),
);
printReport(
  'Hostile clients',
  [
    'Does a match go on while a client attacks the TV?',
    `${about}
- Each TV has 256 MiB of memory and 1,024 descriptors. A match with a screen and two pads is played during each of the ${attacks.length} attacks`,
    `The rules are the same for all attacks. During one, \`/healthz\` answers within ${RULES.healthMs} ms, a new phone joins
within ${RULES.joinMs} ms, and the match has at least ${RULES.tickRatio} of the ticks that it has in the same time without an attack. Within
${RULES.recoveryMs / 1000} s after it, at most ${RULES.descriptors} descriptors and ${RULES.memoryMib} MiB more than before are in use. It adds at most ${RULES.logLines} lines
to the log.`,
    'Descriptors and memory: before, peak and after. The other columns are the worst during the attack.',
    ...runs.flatMap((run) => [`## Engine ${run.engine}`, tableOf(COLUMNS, run.attacks, 1)]),
  ],
  broken,
);
