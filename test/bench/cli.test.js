import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { scenarioNames } from '../../bench/index.js';
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
  /** @type {import('../../bench/results.js').Results} */
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
