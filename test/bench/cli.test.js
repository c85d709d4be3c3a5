import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { run } from '../../app/commands/bench.js';
import { publishedCommand } from '../../bench/commands/common/measure.js';
import { scenarioNames } from '../../bench/harness/scenarios.js';
import { processTree, readText } from '../../app/process/process-tree.js';
import { runCommands, startCommand } from '../support/cli.js';
import { temporaryFolder } from '../support/folders.js';
import { checkSchema } from './report/simulated-results.js';
import { onlyLong } from '../support/extent.js';

const POLL_MS = 5;

/** Runs commands of `pitv bench` in one process. @param {string[]} lines */
const bench = (...lines) => runCommands(lines.map((line) => `bench ${line}`.split(' ')));

test('bench list prints every scenario of the folder', async () => {
  const [{ status, stdout }, json] = await bench('list', 'list --json');
  assert.equal(status, 0);
  const names = stdout.trim().split('\n');
  assert.deepEqual(
    names.map((line) => line.split(' ')[0]),
    scenarioNames(),
  );
  assert.ok(scenarioNames().includes('collision'));
  const listed = JSON.parse(json.stdout).map((/** @type {{name: string}} */ { name }) => name);
  assert.deepEqual(listed, scenarioNames());
});

for (const [what, args, says] of /** @type {[string, string[], RegExp][]} */ ([
  ['no scenario', ['run'], /collision/],
  ['an unknown scenario', ['run', 'nonsense'], /nonsense.*collision/],
  ['an unknown command', ['walk'], /walk/],
  ['an unknown option', ['run', 'collision', '--fast'], /--fast/],
  ['a bad number of runs', ['run', 'collision', '--runs', '0'], /--runs must be 1\.\.100/],
  ['an unknown engine', ['run', 'collision', '--engines', 'thread,fibre'], /fibre.*zygote/],
  ['an unknown level', ['run', 'memory', '--levels', 'nope'], /nope.*off, mark, seeds/],
  ['a bad number of workers', ['run', 'collision', '--workers', '1,x'], /--workers/],
  ['no workers', ['run', 'memory', '--workers', '0'], /No configuration/],
  ['a single file to compare', ['compare', 'a.json'], /missing.*compare/],
  ['a missing file', ['compare', 'a.json', 'b.json'], /a\.json/],
  ['a bad name of published results', ['run', 'collision', '--publish', 'A B'], /--publish A B/],
  ['a file to publish', ['publish', 'a.json'], /Unexpected argument 'a\.json'/],
  ['a bad seed', ['run', 'collision', '--seed', '-1x'], /seed/],
  ['an unwritable file', ['run', 'collision', '--json', '/nowhere/a.json'], /nowhere/],
])) {
  test(`${what} is an error of one line, before anything is measured`, async () => {
    await assert.rejects(run(args), (/** @type {any} */ error) => {
      assert.equal(error.code, 'PITV_USAGE');
      assert.match(error.message, says);
      assert.doesNotMatch(error.message, /\n/);
      return true;
    });
  });
}

test('a usage error goes to stderr, and the exit status is 2', async () => {
  const results = await bench('run nonsense', 'run startup --out /proc/pitv');
  for (const { status, stdout, stderr } of results)
    assert.deepEqual([status, stdout, stderr.trim().split('\n').length], [2, '', 1]);
  assert.match(results[1].stderr, /\/proc\/pitv can't be created/);
});

test('run writes a report and JSON; compare finds a slowdown', { skip: onlyLong }, async () => {
  const folder = temporaryFolder();
  const names = ['results.json', 'report.txt', 'before.json'];
  const [json, report, before] = names.map((name) => join(folder, name));
  const only = '--quick --runs 1 --engines thread --workers 1';
  const [ran] = await bench(`run startup runtime ${only} --out ${folder}`);
  assert.equal(ran.status, 0, ran.stderr + ran.stdout);
  const results = JSON.parse(readFileSync(json, 'utf8'));
  checkSchema(results);
  assert.deepEqual(results.failures, []);
  assert.equal(results.complete, true);
  /** @type {import('../../bench/report/results.js').Row[]} */
  const rows = results.rows;
  assert.deepEqual([...new Set(rows.map(({ engine }) => engine))], ['thread', null]);
  const overhead = rows.find(({ metric }) => metric === 'overhead');
  assert.equal(overhead?.workers, 1);
  assert.ok(Number(overhead?.median) > 0);
  assert.equal(readFileSync(report, 'utf8'), ran.stdout);

  assert.equal(await run(['compare', json, json]), 0);
  // All rows ten times as bad, with enough samples for a verdict. A measured value may be 0 or less.
  for (const row of rows) row.samples = Array.from({ length: 20 }, (_, i) => 1 + i / 1000);
  writeFileSync(before, JSON.stringify(results));
  for (const row of rows) {
    const times = row.better === 'higher' ? 0.1 : 10;
    row.samples = row.samples.map((value) => value * times);
  }
  writeFileSync(json, JSON.stringify(results));
  const files = `${before} ${json}`;
  const [slower, compared] = await bench(`compare ${files}`, `compare --json ${files}`);
  assert.equal(slower.status, 1);
  assert.match(slower.stdout, /REGRESSION/);
  const { changes } = JSON.parse(compared.stdout);
  const kinds = changes.map((/** @type {{change: string}} */ { change }) => change);
  assert.deepEqual([...new Set(kinds)], ['regression']);
});

test('the report is printed although the file cannot be written', async () => {
  const options = '--quick --engines thread --nodes 99 --json /dev/full';
  const [{ status, stdout, stderr }] = await bench(`run runtime ${options}`);
  assert.equal(status, 2);
  assert.match(stdout, /Node 99 is not installed/);
  assert.match(stderr, /^pitv: \/dev\/full can't be written/m);
});

test('Ctrl-C keeps the samples so far, marks the results as incomplete, and exits with 1', async () => {
  const file = join(temporaryFolder(), 'results.json');
  const run = 'bench run startup --quick --engines thread --runs 90 --json'.split(' ');
  const { child, ended } = startCommand([...run, file]);
  // Samples run one after the other, so the third process means that two samples are complete.
  const samples = () =>
    processTree(Number(child.pid))
      .slice(1)
      .filter((pid) => readText(`/proc/${pid}/cmdline`)?.includes('sample.js'));
  for (const seen = new Set(); seen.size < 3; await sleep(POLL_MS)) {
    samples().forEach((pid) => seen.add(pid));
  }
  child.kill('SIGINT');
  assert.equal((await ended).status, 1);
  const results = JSON.parse(readFileSync(file, 'utf8'));
  checkSchema(results);
  assert.equal(results.complete, false);
  assert.ok(results.rows.length > 0);
});

test('publish --check lists the files, and exits with 0 when all are current', async () => {
  const [{ status, stdout, stderr }] = await bench('publish --check');
  assert.equal(status, 0, stderr + stdout);
  assert.match(stdout, /^ {2}current {3}docs\/results\/startup\.svg$/m);
  assert.doesNotMatch(stdout, /differs|problem/);
});

test('published results name the command without its output files', () => {
  const words = 'bench run pipe --json a.json --runs 10 --publish pipe --out=b';
  assert.equal(publishedCommand(words.split(' ')), 'pitv bench run pipe --runs 10');
});

test('doctor reports every condition', async () => {
  const [{ status, stdout }, json] = await bench('doctor', 'doctor --json');
  assert.equal(status, 0);
  const conditions = 'governor,throttling,huge pages,swap,ASLR,other load,page size,KSM';
  for (const name of conditions.split(',')) {
    assert.match(stdout, new RegExp(`^ {2}( ok |WARN| \\? {2}) {2}${name} `, 'm'));
  }
  const { machine, findings } = JSON.parse(json.stdout);
  assert.equal(machine.cores, availableParallelism());
  assert.equal(findings.length, stdout.split(/^ {2}(?: ok |WARN| \? {2}) {2}/m).length - 1);
});
