/** Tests the published tables of this project, and how tables and plots are made. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { loadScenario, measuredPaths, scenarioNames } from '../../../../bench/harness/scenarios.js';
import { describePlot, drawPlot } from '../../../../bench/report/plot.js';
import { plotOf, renderTable } from '../../../../bench/report/published/declared.js';
import { loadDeclared, planPublication } from '../../../../bench/report/published/publish.js';
import { figure } from '../../../../bench/report/text.js';
import { makeUpResults } from '../simulated-results.js';

const ROOT = fileURLToPath(new URL('../../../..', import.meta.url));

test('every published table, plot and figure of this project comes from stored samples', async () => {
  const declared = await loadDeclared();
  const { changes, problems } = await planPublication({ root: ROOT, declared });
  assert.deepEqual([problems, changes.map(({ path }) => path)], [[], []]);
});

test('every scenario declares the code that it measures, and the code exists', async () => {
  for (const name of scenarioNames()) {
    const scenario = await loadScenario(name);
    assert.ok(Array.isArray(scenario.measures), `${name}: measures`);
    for (const path of measuredPaths(scenario)) assert.ok(existsSync(join(ROOT, path)), path);
  }
});

test('tables show medians, also of differences, and refuse what nobody measured', async () => {
  const stored = new Map([['pipe', await makeUpResults(['pipe'])]]);
  const all = { source: 'pipe', metric: 'throughput', where: { level: 'ffmpeg' } };
  const of = (/** @type {string} */ variant) => ({ title: variant, where: { variant } });
  const lines = [of('shell'), of('pitv')];
  const columns = [{ title: 'MB/s' }];
  const [shell, pitv] = lines.map(
    ({ where }) =>
      stored
        .get('pipe')
        ?.rows.find(
          (row) =>
            row.variant === where.variant && row.level === 'ffmpeg' && row.metric === 'throughput',
        )?.median ?? NaN,
  );
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
  const group = { title: 'ffmpeg & co', where: { level: 'ffmpeg' } };
  const all = { source: 'pipe', metric: 'throughput' };
  const declared = { title: 'Speed', unit: 'MB/s', all, groups: [group], marks };
  const plot = plotOf(declared, new Map([['pipe', results]]));
  const svg = drawPlot(plot);
  assert.equal(svg.match(/class="tone-other dot"/g)?.length, 12);
  assert.equal(svg.match(/class="interval"/g)?.length, 2);
  assert.match(svg, /ffmpeg &amp; co \(n = 6\)/);
  assert.match(svg, /prefers-color-scheme: dark/);
  assert.match(
    describePlot(plot),
    /^Speed, MB\/s\. ffmpeg & co \(n = 6\): shell [\d.,]+, pitv [\d.,]+\.$/,
  );
  const empty = { ...declared, groups: [{ ...group, where: { level: 'none' } }] };
  assert.throws(() => plotOf(empty, new Map([['pipe', results]])), /"ffmpeg & co" is empty/);
});
