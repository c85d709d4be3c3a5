import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { scenarioNames } from '../../bench/harness/scenarios.js';
import { processTree } from '../../bench/machine/proc.js';
import { checkForm } from './form.js';

const cli = fileURLToPath(new URL('../../app/cli.js', import.meta.url));

/** @param {string[]} args */
function bench(...args) {
  return spawnSync(process.execPath, [cli, 'bench', ...args], { encoding: 'utf8' });
}

test('bench list names every scenario of the folder', () => {
  const { status, stdout } = bench('list');
  assert.equal(status, 0);
  assert.deepEqual(
    stdout
      .trim()
      .split('\n')
      .map((line) => line.split(' ')[0]),
    scenarioNames(),
  );
  assert.ok(scenarioNames().includes('collision'));
});

for (const [what, args, says] of /** @type {[string, string[], RegExp][]} */ ([
  ['no scenario', ['run'], /collision/],
  ['an unknown scenario', ['run', 'nonsense'], /nonsense.*collision/],
  ['an unknown command', ['walk'], /walk/],
  ['an unknown option', ['run', 'collision', '--fast'], /--fast/],
  ['a bad number of runs', ['run', 'collision', '--runs', '0'], /--runs/],
  ['an unknown engine', ['run', 'collision', '--engines', 'thread,fibre'], /fibre.*zygote/],
  ['a bad number of workers', ['run', 'collision', '--workers', '1,x'], /--workers/],
  ['one file to compare', ['compare', 'a.json'], /two files/],
  ['a file that is not there', ['compare', 'a.json', 'b.json'], /a\.json/],
  ['a report to nowhere', ['report', 'a.json'], /-o/],
  ['a bad seed', ['run', 'collision', '--seed', '-1x'], /seed/],
  ['a file that can not be written', ['run', 'collision', '--json', '/nowhere/a.json'], /nowhere/],
])) {
  test(`${what} is one clear line and exit 2, before anything is measured`, () => {
    const { status, stdout, stderr } = bench(...args);
    assert.equal(status, 2);
    assert.equal(stdout, '');
    assert.match(stderr, says);
    assert.equal(stderr.trim().split('\n').length, 1);
  });
}

test('run writes JSON, CSV and a page; report makes the page again; compare finds no change in itself', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'pitv-bench-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const [json, csv, html, again] = ['a.json', 'a.csv', 'a.html', 'b.html'].map((name) =>
    join(folder, name),
  );
  const files = ['--json', json, '--csv', csv, '--html', html];
  const only = ['--quick', '--runs', '2', '--engines', 'thread', '--workers', '2'];
  const ran = bench('run', 'startup', 'runtime', ...only, ...files);
  assert.equal(ran.status, 0, ran.stderr + ran.stdout);
  const text = readFileSync(json, 'utf8');
  const results = JSON.parse(text);
  checkForm(results);
  assert.deepEqual(results.failures, []);
  const { rows } = results;
  const engines = new Set(rows.map((/** @type {{engine: string}} */ { engine }) => engine));
  assert.deepEqual([...engines], ['thread', null]);
  const overhead = rows.find((/** @type {{metric: string}} */ row) => row.metric === 'overhead');
  assert.equal(overhead.workers, 2);
  assert.ok(overhead.median > 0);
  const samples = rows.reduce(
    (/** @type {number} */ sum, /** @type {any} */ row) => sum + row.samples.length,
    0,
  );
  assert.equal(readFileSync(csv, 'utf8').trim().split('\r\n').length, samples + 1);
  assert.equal(bench('report', json, '-o', again).status, 0);
  assert.equal(readFileSync(again, 'utf8'), readFileSync(html, 'utf8'));
  const compared = bench('compare', json, json);
  assert.equal(compared.status, 0, compared.stderr);
  assert.match(compared.stdout, /0 regressions of more than 5 % among/);
  // The same, ten times as slow, with enough samples to be sure.
  for (const row of rows) {
    row.samples = Array.from({ length: 20 }, (_, i) => row.samples[0] * (1 + i / 1000));
  }
  const before = join(folder, 'before.json');
  writeFileSync(before, JSON.stringify(results));
  for (const row of rows)
    row.samples = row.samples.map((/** @type {number} */ value) => value * 10);
  writeFileSync(json, JSON.stringify(results));
  const slower = bench('compare', before, json);
  assert.equal(slower.status, 1);
  assert.match(slower.stdout, /REGRESSION/);
});

test('Ctrl-C keeps what was measured: tables, the JSON says so, exit 1, no sample lives on', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'pitv-bench-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'results.json');
  const args = [
    cli,
    'bench',
    'run',
    'startup',
    '--engines',
    'thread',
    '--runs',
    '900',
    '--json',
    file,
  ];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  // Some samples of the first rounds have come by then; there is no other sign of it outside.
  const samples = () => processTree(Number(child.pid)).slice(1);
  for (const seen = new Set(); seen.size < 12; await setImmediate())
    samples().forEach((pid) => seen.add(pid));
  child.kill('SIGINT');
  const [status] = await ended;
  assert.equal(status, 1);
  const results = JSON.parse(readFileSync(file, 'utf8'));
  checkForm(results);
  assert.equal(results.complete, false);
});

test('doctor looks at everything and says what to do', () => {
  const { status, stdout } = bench('doctor');
  assert.equal(status, 0);
  for (const about of [
    'governor',
    'throttling',
    'huge pages',
    'swap',
    'ASLR',
    'other load',
    'page size',
    'KSM',
  ]) {
    assert.match(stdout, new RegExp(`^ {2}( ok |WARN| \\? {2}) {2}${about} `, 'm'));
  }
});

test('bench run collision: equal pairs, far ahead of the libraries, near to C', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'pitv-bench-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'results.json');
  const { status, stdout, stderr } = bench(
    'run',
    'collision',
    '--quick',
    '--runs',
    '1',
    '--json',
    file,
  );
  assert.equal(status, 0, stderr + stdout);
  assert.doesNotMatch(stdout, /WRONG/);
  assert.ok(existsSync(file));
  assert.deepEqual(readdirSync(folder), ['results.json']);
  /** @type {import('../../bench/report/results.js').Results} */
  const results = JSON.parse(readFileSync(file, 'utf8'));
  assert.equal(results.schema, 2);
  checkForm(results);
  assert.equal(results.suite, 'collision');
  assert.equal(results.complete, true);
  for (const n of [1000, 5000, 20_000]) {
    const rows = results.rows.filter((row) => row.n === n);
    const ms = Object.fromEntries(rows.map((row) => [row.variant, row.median]));
    assert.equal(rows.length, 9);
    assert.ok(rows.every((row) => row.metric === 'frame' && row.unit === 'ms'));
    const { pitv, 'pitv-js': javascript, c, ...libraries } = ms;
    // One short sample on a machine that others use too: half of what is wanted must always hold.
    const fastest = Math.min(...Object.values(libraries));
    assert.ok(fastest > 5 * pitv, `n = ${n}: ${fastest} ms against ${pitv} ms`);
    assert.ok(fastest > 3 * javascript, `n = ${n}: ${fastest} ms against ${javascript} ms`);
    assert.ok(pitv < 4 * c, `n = ${n}: ${pitv} ms against ${c} ms in C`);
  }
});
