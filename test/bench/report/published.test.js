/**
 * Tests how tables and plots are made, and how they are published, with a small project that each test makes.
 * test/bench/cli.test.js checks those of this project.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { describePlot, drawPlot } from '../../../bench/report/plot.js';
import { plotOf, renderTable } from '../../../bench/report/published/declared.js';
import { planPublication } from '../../../bench/report/published/publish.js';
import { readPublished, writePublished } from '../../../bench/report/published/store.js';
import { figure } from '../../../bench/report/text.js';
import { temporaryFolder, writeTree } from '../../support/folders.js';
import { checkSchema, makeUpResults } from './simulated-results.js';

const COMMIT = 'c'.repeat(40);

/**
 * Returns the median throughput of a variant of `pipe`.
 * @param {import('../../../bench/report/results.js').Results} results @param {string} variant
 */
const throughputOf = ({ rows }, variant) =>
  rows.find((row) => row.variant === variant && row.metric === 'throughput')?.median ?? NaN;

test('tables show medians, also of differences, and refuse what nobody measured', async () => {
  const results = await makeUpResults(['pipe']);
  const stored = new Map([['pipe', results]]);
  const all = { source: 'pipe', metric: 'throughput', where: { level: 'raw' } };
  const of = (/** @type {string} */ variant) => ({ title: variant, where: { variant } });
  const lines = [of('shell'), of('pitv')];
  const columns = [{ title: 'MB/s' }];
  const [shell, pitv] = lines.map(({ title }) => throughputOf(results, title));
  const text = renderTable({ all, lines, columns, isBrief: true }, stored);
  assert.match(text, new RegExp(`\\| shell \\| ${figure(shell)} \\|\n`));
  assert.match(text, /\n\nSamples: `pipe`\.$/);
  const less = [{ title: 'more', less: { variant: 'shell' }, scale: 2 }];
  const more = renderTable({ all, lines: [of('pitv')], columns: less, isBrief: true }, stored);
  assert.ok(more.includes(`| pitv | ${figure((pitv - shell) * 2)} |`), more);
  const wrong = [
    { all, lines, columns: [{ title: 'speed', metric: 'speed' }] },
    { all, lines: [{ title: 'all' }], columns },
    { all: { ...all, source: 'pipes' }, lines, columns },
    { all, lines: Array(13).fill(lines[0]), columns },
  ];
  const says = [/"speed" is empty/, /rows fit/, /has no pipes/, /more than 12/];
  wrong.forEach((table, i) => assert.throws(() => renderTable(table, stored), says[i]));
});

test('a plot has every sample, its interval and n, and describes itself without a picture', async () => {
  const results = await makeUpResults(['pipe']);
  for (const row of results.rows) {
    row.samples = [1, 2, 3, 4, 5, 6].map((factor) => factor * row.median);
    row.ci95 = [row.median, 6 * row.median];
  }
  const marks = ['shell', 'pitv'].map((variant) => ({
    title: variant,
    tone: 'other',
    where: { variant },
  }));
  const group = { title: 'dd & co', where: { level: 'raw' } };
  const all = { source: 'pipe', metric: 'throughput' };
  const declared = { title: 'Speed', unit: 'MB/s', all, groups: [group], marks };
  const plot = plotOf(declared, new Map([['pipe', results]]));
  const svg = drawPlot(plot);
  assert.equal(svg.match(/class="tone-other dot"/g)?.length, 12);
  assert.equal(svg.match(/class="interval"/g)?.length, 2);
  assert.match(svg, /dd &amp; co \(n = 6\)/);
  assert.match(svg, /prefers-color-scheme: dark/);
  assert.match(
    describePlot(plot),
    /^Speed, MB\/s\. dd & co \(n = 6\): shell [\d.,]+, pitv [\d.,]+\.$/,
  );
  const empty = { ...declared, groups: [{ ...group, where: { level: 'none' } }] };
  assert.throws(() => plotOf(empty, new Map([['pipe', results]])), /"dd & co" is empty/);
});

describe('a small project', () => {
  const all = { source: 'speed', metric: 'throughput', where: { level: 'raw' } };
  const line = { title: 'shell', tone: 'other', where: { variant: 'shell' } };
  const declared = {
    tables: { speed: { all, lines: [line], columns: [{ title: 'MB/s' }] } },
    plots: {
      speed: { title: 'Speed', unit: 'MB/s', all, groups: [{ title: 'raw' }], marks: [line] },
    },
  };
  const PLACE = ['table', 'plot']
    .map((kind) => `<!-- pitv bench: ${kind} speed -->\nold\n<!-- end of pitv bench -->\n`)
    .join('');

  /** Makes the project. @param {string} [page] of results */
  async function makeProject(page = PLACE) {
    const root = temporaryFolder({ 'README.md': '# A project\n', 'docs/results/speed.md': page });
    /** @param {string} path @param {string} text */
    const write = (path, text) => writeTree(root, { [path]: text });
    const provenance = { commit: COMMIT, command: 'pitv bench run pipe' };
    const results = { ...(await makeUpResults(['pipe'])), provenance };
    checkSchema(results);
    writePublished(root, 'speed', results);
    const plan = () => planPublication(root, declared);
    return { root, write, plan };
  }

  test('table, plot and page are rebuilt from the samples, with machine, command and commit', async () => {
    const { root, write, plan } = await makeProject();
    const { files, changes, problems } = plan();
    assert.deepEqual(problems, []);
    const made = ['bench/results/speed.md', 'docs/results/speed.md', 'docs/results/speed.svg'];
    assert.deepEqual(changes.map(({ path }) => path).sort(), made);
    assert.ok(made.every((path) => files.includes(path)));
    const textOf = (/** @type {string} */ wanted) =>
      changes.find(({ path }) => path === wanted)?.text ?? '';
    const text = textOf(made[1]);
    const shell = throughputOf(readPublished(root, 'speed'), 'shell');
    assert.match(text, new RegExp(`\\| shell \\| ${shell}`));
    assert.match(text, /`speed`: Node v.*; 1 run of each/);
    assert.match(text, /2026-01-01; `pitv bench run pipe`; commit c{12}\./);
    assert.match(text, /!\[Speed, MB\/s\..*\]\(speed\.svg\)/);
    assert.match(textOf(made[0]), /\| shell, raw, n = 65536 \|/);
    assert.match(textOf(made[2]), /pitv bench run pipe: Node v/);
    for (const { path, text: fresh } of changes) write(path, fresh);
    assert.deepEqual(plan().changes, []);
    for (const path of made) {
      const fresh = textOf(path);
      write(path, fresh.replace('shell', 'shelf'));
      const { changes: again, problems: others } = plan();
      assert.deepEqual([again.map((one) => one.path), others], [[path], []]);
      write(path, fresh);
    }
  });

  test('a table without samples and a figure in prose are problems', async () => {
    const hand = '| a | b |\n| --- | --- |\n| 1.5 ms | 2 % |\n\nIt takes 31.41 ms.\n';
    const { problems } = (await makeProject(PLACE + hand)).plan();
    assert.equal(problems.length, 2);
    assert.match(problems[0], /^docs\/results\/speed\.md:\d+: this table has no samples/);
    assert.match(problems[1], /"31\.41 ms" is in no generated table/);
  });

  test('so is a figure in the prose of the README, but not one of a table, in a link or in code', async () => {
    const { root, write, plan } = await makeProject();
    const shown = figure(throughputOf(readPublished(root, 'speed'), 'shell'));
    write('README.md', `A pipe takes ${shown} MB/s, and [a link](x/77%25).\n\n    45 ms in code\n`);
    assert.deepEqual(plan().problems, []);
    write('README.md', 'A pipe takes 31.41 MB/s.\n');
    const problem = 'README.md:1: "31.41 MB/s" is in no generated table';
    assert.deepEqual(plan().problems, [problem]);
  });

  test('the output of another program is quoted with its conditions', async () => {
    const place = '<!-- pitv bench: table packages -->\n<!-- end of pitv bench -->\n';
    const { write, plan } = await makeProject(PLACE + place);
    const log = '- Command: `make fuzz`\n- Commit: abc\n\n| a | n |\n| --- | ---: |\n| x | 3 |\n';
    write('bench/results/packages.md', log);
    const { changes, problems } = plan();
    assert.deepEqual(problems, []);
    const page = changes.find(({ path }) => path === 'docs/results/speed.md');
    assert.match(page?.text ?? '', /\| x \| 3 \|\n\nCommand: `make fuzz`; Commit: abc\./);
  });

  test('unknown places, stray files and damaged files are problems', async () => {
    const page = PLACE.replace('table speed', 'table size');
    const { write, plan } = await makeProject(page);
    write('docs/results/old.svg', '<svg/>');
    write('bench/results/broken.json.gz', 'no gzip');
    const problems = plan().problems.join('\n');
    for (const problem of [
      /broken\.json\.gz: /,
      /no scenario declares table size/,
      /no page has table speed/,
      /old\.svg: nothing declares it/,
    ]) {
      assert.match(problems, problem);
    }
  });
});
