/** Tests the published tables of this project, and how tables and sentences are made. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { loadScenario, scenarioNames } from '../../../../bench/harness/scenarios.js';
import { listRatios } from '../../../../bench/report/published/findings.js';
import { linesOf, pivot } from '../../../../bench/report/published/pivot.js';
import {
  loadTables,
  measuredPaths,
  planPublication,
} from '../../../../bench/report/published/publish.js';
import { readmeTable } from '../../../../bench/report/published/readme-table.js';
import { makeUpResults } from './made-up-results.js';

/** @typedef {import('../../../../bench/report/results.js').Results} Results */

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));

test('every published table and figure of this project comes from stored samples', async () => {
  const { changes, problems } = await planPublication({ root: ROOT, tables: await loadTables() });
  assert.deepEqual(problems, []);
  assert.deepEqual(
    changes.map(({ page }) => page),
    [],
  );
});

test('every scenario declares the code that it measures, and the code exists', async () => {
  for (const name of scenarioNames()) {
    const { measures } = await loadScenario(name);
    assert.ok(Array.isArray(measures), `${name}: measures`);
    for (const path of await measuredPaths(name)) assert.ok(existsSync(join(ROOT, path)), path);
  }
});

test('every table can be rendered from the metrics of its scenario', async () => {
  const tables = await loadTables();
  assert.ok(tables.length > 10);
  const paper = await makeUpResults(['startup', 'memory', 'runtime']);
  const others = await makeUpResults(scenarioNames());
  for (const { name, render } of tables) {
    const text = render([name.startsWith('paper') ? paper : others]);
    const lines = text.split('\n').filter((line) => line.startsWith('|'));
    assert.ok(lines.length > 2, name);
    assert.equal(new Set(lines.map((line) => line.split('|').length)).size, 1, name);
  }
});

test('an empty column and a cell with several rows are errors', async () => {
  const results = await makeUpResults(['pipe']);
  const lines = linesOf([results], 'pipe', ['variant']);
  const columns = [{ title: 'speed', metric: 'speed' }];
  assert.throws(() => pivot([results], { scenario: 'pipe', lines, columns }), /"speed".*empty/);
  const all = [{ title: 'all', metric: 'throughput' }];
  assert.throws(() => pivot([results], { scenario: 'pipe', lines, columns: all }), /rows fit/);
});

/** @param {Results} results @param {string} node version */
const measuredWith = (results, node) => ({ ...results, machine: { ...results.machine, node } });

test('runs with several versions of Node.js have lines of their own', async () => {
  const results = await makeUpResults(['pipe']);
  const files = [measuredWith(results, 'v24.1.0'), measuredWith(results, 'v20.2.0')];
  const columns = [{ title: 'speed', metric: 'throughput', where: { level: 'ffmpeg' } }];
  const lines = linesOf(files, 'pipe', ['variant']);
  const [head, , ...body] = pivot(files, { scenario: 'pipe', lines, columns }).split('\n');
  assert.equal(head, '| Node.js |  | speed |');
  assert.deepEqual(
    body.map((line) => line.split(' | ')[0]),
    [...lines.map(() => '| 20.2'), ...lines.map(() => '| 24.1')],
  );
  const emulated = { cpu: 'ARMv7 Processor rev 5', virtual: 'emulated by QEMU' };
  const board = { ...results, machine: { ...results.machine, ...emulated, node: 'v20.1.0' } };
  const all = pivot([board, ...files], { scenario: 'pipe', lines, columns }).split('\n');
  assert.match(all.at(-1) ?? '', /^\| 20\.1, emulated ARMv7 \|/); // emulated processors are last
  const again = [results, { ...results, method: { ...results.method, runs: 9 } }];
  assert.throws(() => pivot(again, { scenario: 'pipe', lines, columns }), /same version/);
});

test('sentences state ratios of medians, with an interval if there are enough samples', async () => {
  const results = await makeUpResults(['pipe']);
  const where = { level: 'ffmpeg' };
  const wanted = ['pitv', 'shell'].map((variant) => ({ variant, ...where }));
  const [of, to] = wanted;
  const ratio = { metric: 'throughput', of, to, text: 'It is {times} as fast.' };
  const samples = [8, 8, 8, 8, 8, 8];
  for (const row of results.rows) {
    const factor = row.variant === 'pitv' ? 2 : 1;
    const own = samples.map((value) => value * factor);
    Object.assign(row, { samples: own, rounds: [0, 1, 2, 3, 4, 5], median: own[0] });
  }
  assert.equal(
    listRatios([results], 'pipe', [ratio]),
    '- It is 2.00 times (2.00 to 2.00) as fast.',
  );
  const few = results.rows.map((row) => ({
    ...row,
    samples: row.samples.slice(4),
    rounds: [0, 1],
  }));
  assert.equal(
    listRatios([{ ...results, rows: few }], 'pipe', [ratio]),
    '- It is 2.00 times as fast.',
  );
  const missing = { ...ratio, to: { variant: 'no such' } };
  assert.equal(listRatios([results], 'pipe', [missing]), '');
});

test('a text of the table of results that names an unknown figure is an error', async () => {
  const results = await makeUpResults(['startup', 'memory', 'collision']);
  const line = { question: 'How long?', result: '{spare zygote} ms', care: '{spare fibre}' };
  const words = { head: ['a', 'b', 'c'], lines: [line] };
  assert.throws(() => readmeTable([results], words), /no figure spare fibre/);
  const [row] = results.rows.filter(
    ({ variant, engine, metric }) =>
      variant === 'spare' && engine === 'zygote' && metric === 'ready',
  );
  const good = { ...words, lines: [{ ...line, care: '' }] };
  assert.match(readmeTable([results], good), new RegExp(`\\| ${row.median}(\\.0+)? ms \\|`));
});

test('the pages in the list of tables without data exist', () => {
  const list = JSON.parse(readFileSync(join(ROOT, 'bench/results/without-data.json'), 'utf8'));
  for (const { page } of [...list.tables, ...list.logs])
    assert.ok(existsSync(join(ROOT, page)), page);
});
