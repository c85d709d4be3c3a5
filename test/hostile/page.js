/**
 * Prints the figures of `make hostile` (test/output/hostile-ENGINE.json) as a Markdown page.
 * `--note TEXT` says what else ran on the machine.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { conditions } from '../../bench/machine/conditions.js';
import { markdownTable, printReport } from '../../bench/report/markdown.js';
import { HEAD, cellsOf } from './support/trial.js';

const ENGINES = ['zygote', 'process', 'thread'];

const { values } = parseArgs({ options: { note: { type: 'string' } } });

/** @typedef {import('./support/trial.js').Figures} Figures */
/** @typedef {{commit: string, date: string, rules: Record<string, number>, attacks: Figures[]}} Run */

/** @param {string} engine @returns {Run} */
function read(engine) {
  const file = new URL(`../output/hostile-${engine}.json`, import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8'));
}

const runs = ENGINES.map((engine) => ({ engine, run: read(engine) }));
const [{ run: first }] = runs;
const { commit, date, rules, attacks } = first;
const about = conditions({ command: 'make hostile', commit, date, note: values.note });
const broken = runs.flatMap(({ engine, run }) =>
  run.attacks.flatMap((one) =>
    one.broken.map((sentence) => `${engine}, ${one.attack}: ${sentence}`),
  ),
);
printReport(
  'Hostile clients',
  [
    'Does a match go on while a client attacks the TV?',
    `${about}
- Each TV has 256 MiB of memory and 1,024 descriptors. A match with a screen and two pads is played during each of the ${attacks.length} attacks`,
    `The rules are the same for all attacks. During one, \`/healthz\` answers within ${rules.healthMs} ms, a new phone joins
within ${rules.joinMs} ms, and the match has at least ${rules.tickRatio} of the ticks that it has in the same time without an attack. Within
${rules.recoveryMs / 1000} s after it, at most ${rules.descriptors} descriptors and ${rules.memoryMib} MiB more than before are in use. It adds at most ${rules.logLines} lines
to the log.`,
    'Descriptors and memory: before, peak and after. The other columns are the worst during the attack.',
    ...runs.flatMap(({ engine, run }) => [
      `## Engine ${engine}`,
      markdownTable(HEAD, run.attacks.map(cellsOf), 1),
    ]),
  ],
  broken,
);
