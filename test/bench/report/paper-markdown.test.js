/** Tests the paper's table: figures, verdicts, and places in Markdown files. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answers, formatAnswers } from '../../../bench/report/paper-table.js';
import { fillIn, markdown } from '../../../bench/report/paper-markdown.js';
import { paperResults } from './paper-results.js';

test('the paper’s table has figures and verdicts', () => {
  const found = answers(paperResults());
  assert.deepEqual(
    found.map(({ here, verdict }) => [here.thread, here.zygote, here.mark, verdict]),
    [
      [
        '81.6 ms',
        '51.0 ms',
        undefined,
        'a process takes 1.25 times as long as a thread, then 269 times; a process takes 2.00 times as long as a zygote; a thread takes 1.60 times as long as a zygote',
      ],
      ...Array.from({ length: 2 }, () => [
        '81.6 ms',
        '51.0 ms',
        undefined,
        'a process takes 1.25 times as long as a thread; a process takes 2.00 times as long as a zygote; a thread takes 1.60 times as long as a zygote',
      ]),
      ['20 % less', '50 % less', undefined, 'yes'],
      [undefined, undefined, '4 % less', 'yes'],
    ],
  );
  assert.match(formatAnswers(paperResults()), /process 1076 ms, thread 4 ms/);
});

test('two files are combined in one Markdown table, which is written between its markers only', () => {
  const [one, other] = [paperResults(), paperResults()];
  one.machine.node = 'v20.1.2';
  other.machine.node = 'v24.3.4';
  const text = markdown([one, other]);
  const lines = text.split('\n').filter((line) => line.startsWith('|'));
  assert.equal(new Set(lines.map((line) => line.split('|').length)).size, 1);
  assert.match(text, /\| Node 20\.1, \w+ \| 102 ms \| 81\.6 ms \| 51\.0 ms \| – \|/);
  assert.match(text, /\| \*\*Memory.*\*\* \| paper.* \| – \| 9\.1 to 28\.5 % less \| – \| – \|/);
  for (const start of ['on demand', 'from a spare', '8 workers at once']) {
    assert.match(text, new RegExp(`\\*\\*Creating .*${start}.*\\*\\*`));
  }
  assert.match(text, /PSS with 4 games, MiB \| Node 20\.1/);
  assert.equal(
    text.match(/Node 24\.3, \w+ \|/g)?.length,
    text.match(/Node 20\.1, \w+ \|/g)?.length,
  );
  const short = markdown([one, other], { short: true });
  assert.doesNotMatch(short, /MiB/);
  const place = 'a\n<!-- pitv bench: paper, short -->old<!-- end of pitv bench -->\nb $& c\n';
  const filled = fillIn(place, [one, other]);
  assert.equal(
    filled,
    place.replace('old', () => `\n\n${short}\n`),
  );
  assert.equal(fillIn(String(filled), [one, other]), filled);
  assert.equal(fillIn('no place', [one]), undefined);
  const named = place.replace('paper, short', 'paper, armv6, short');
  assert.equal(fillIn(named, [one]), undefined);
  assert.equal(fillIn(place, [one], 'armv6'), undefined);
  assert.match(String(fillIn(named, [one], 'armv6')), /paper, armv6, short -->\n\n\| \| \|/);
});

test('an emulated board without ASLR is labelled in the table and below it', () => {
  const results = paperResults();
  Object.assign(results.machine, { board: 'Raspberry Pi A+', cpu: 'ARMv6-compatible processor' });
  results.machine.virtual = 'emulated by QEMU 7.2';
  results.machine.aslr = 0;
  results.method.runs = 1;
  for (const row of results.rows) row.samples.length = 1;
  const text = markdown([results]);
  assert.match(text, /\| process \| thread \| zygote \| process \+ KSM: marked, ASLR off \|/);
  assert.match(
    text,
    /, ASLR off; 1 run of each, in random order \(seed 1\); single values, no intervals/,
  );
  assert.match(text, /emulated ARMv6 \|/);
  assert.match(text, /Raspberry Pi A\+ \(emulated by QEMU 7\.2\)/);
});
