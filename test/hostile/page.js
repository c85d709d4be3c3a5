/**
 * Prints the figures of `make hostile` (test/output/hostile-ENGINE.json) as a Markdown page.
 * `--note TEXT` says what else ran on the machine.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { conditions } from '../../bench/machine/conditions.js';

const ENGINES = ['zygote', 'process', 'thread'];

const { values } = parseArgs({ options: { note: { type: 'string' } } });

/** @typedef {import('./support/trial.js').Figures} Figures */
/** @typedef {{commit: string, date: string, rules: Record<string, number>, attacks: Figures[]}} Run */

/** @param {string} engine @returns {Run} */
function read(engine) {
  const file = new URL(`../output/hostile-${engine}.json`, import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8'));
}

/** @param {Figures} figures @returns {string} a row of Markdown */
function row({ attack, seconds, healthMs, joinMs, loopMs, tickRatio, frameGapMs, ...rest }) {
  const { descriptors, memoryMib, logLines, broken } = rest;
  const cells = [
    attack,
    seconds.toFixed(1),
    healthMs.toFixed(),
    joinMs.toFixed(),
    `${loopMs.p99.toFixed(1)} / ${loopMs.max.toFixed()}`,
    tickRatio.toFixed(2),
    frameGapMs.toFixed(),
    descriptors.join(' / '),
    memoryMib.map((mib) => mib.toFixed()).join(' / '),
    String(logLines),
    broken.length > 0 ? 'broken' : 'held',
  ];
  return `| ${cells.join(' | ')} |`;
}

const HEAD = [
  '| Attack | s | `/healthz`, ms | join, ms | loop delay p99 / max, ms | ticks | frame gap, ms | descriptors | memory, MiB | log lines | |',
  '| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | --- |',
];

const runs = ENGINES.map((engine) => ({ engine, run: read(engine) }));
const [{ run: first }] = runs;
const { rules } = first;
const broken = runs.flatMap(({ engine, run }) =>
  run.attacks.flatMap(({ attack, broken: rulesBroken }) =>
    rulesBroken.map((sentence) => `- FAILED: ${engine}, ${attack}: ${sentence}`),
  ),
);
const { commit, date, attacks } = first;
console.log(
  [
    '# Hostile clients',
    '',
    'Does a match go on while a client attacks the TV?',
    '',
    conditions({ command: 'make hostile', commit, date, note: values.note }),
    `- Each TV has 256 MiB of memory and 1,024 descriptors. A match with a screen and two pads is played during each of the ${attacks.length} attacks`,
    '',
    `The rules are the same for all attacks. During one, \`/healthz\` answers within ${rules.healthMs} ms, a new phone joins`,
    `within ${rules.joinMs} ms, and the match has at least ${rules.tickRatio} of the ticks that it has in the same time without an attack. Within`,
    `${rules.recoveryMs / 1000} s after it, at most ${rules.descriptors} descriptors and ${rules.memoryMib} MiB more than before are in use. It adds at most ${rules.logLines} lines`,
    'to the log.',
    '',
    'Descriptors and memory: before, peak and after. The other columns are the worst during the attack.',
    ...runs.flatMap(({ engine, run }) => [
      '',
      `## Engine ${engine}`,
      '',
      ...HEAD,
      ...run.attacks.map(row),
    ]),
    '',
    broken.length > 0 ? broken.join('\n') : 'All rules held.',
  ].join('\n'),
);
process.exitCode = broken.length > 0 ? 1 : 0;
