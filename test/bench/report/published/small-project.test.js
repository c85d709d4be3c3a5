/** Tests published tables with a small project that each test makes. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, test } from 'node:test';
import { linesOf, pivot } from '../../../../bench/report/published/pivot.js';
import { planPublication } from '../../../../bench/report/published/publish.js';
import { readPublished, writePublished } from '../../../../bench/report/published/store.js';
import { temporaryFolder } from '../../../support/tv.js';
import { checkSchema } from '../schema.js';
import { makeUpResults } from './made-up-results.js';

const DAY_MS = 86_400_000;
const COMMIT = 'c'.repeat(40);

describe('a small project', () => {
  /** @type {import('../../../../bench/report/published/publish.js').Table} */
  const table = {
    name: 'speed',
    sources: ['speed'],
    render: (files) =>
      pivot(files, {
        scenario: 'pipe',
        lines: linesOf(files, 'pipe', ['variant'], { level: 'ffmpeg' }),
        columns: [{ title: 'MB/s', metric: 'throughput' }],
      }),
  };
  const PLACE = '<!-- pitv bench: table speed -->\nold\n<!-- end of pitv bench -->\n';

  /**
   * Makes the project.
   * @param {import('node:test').TestContext} t
   * @param {{readme?: string, page?: string, list?: object, isMeasured?: boolean}} [content]
   */
  async function makeProject(
    t,
    { readme = '# A project\n', page = PLACE, list, isMeasured = true } = {},
  ) {
    const root = await temporaryFolder(t);
    /** @param {string} path @param {string} text */
    const write = (path, text) => {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text);
    };
    write('README.md', readme);
    write('app/process/pipe.js', '');
    write('docs/results/speed.md', page);
    write('bench/results/without-data.json', JSON.stringify({ tables: [], logs: [], ...list }));
    if (isMeasured) {
      const provenance = { commit: COMMIT, command: 'pitv bench run pipe' };
      const results = { ...(await makeUpResults(['pipe'])), provenance };
      checkSchema(results);
      writePublished(root, 'speed', results);
    }
    const plan = (now = Date.now()) => planPublication({ root, tables: [table], now });
    return { root, write, plan };
  }

  test('a table is rebuilt from its samples, with machine, method, command and commit', async (t) => {
    const { root, write, plan } = await makeProject(t);
    const { tables, changes, problems } = await plan();
    assert.deepEqual(problems, []);
    assert.deepEqual(tables, [{ name: 'speed', page: 'docs/results/speed.md', state: 'differs' }]);
    const [{ page, text }] = changes;
    const { rows } = readPublished(root, 'speed');
    const row = rows.find(({ variant, level }) => variant === 'shell' && level === 'ffmpeg');
    assert.match(text, new RegExp(`\\| shell \\| ${row?.median}`));
    assert.match(text, /`bench\/results\/speed\.json\.gz`: Node v.*; 1 run of each/);
    assert.match(text, /2026-01-01; `pitv bench run pipe`; commit c{12}\./);
    write(page, text);
    const again = await plan();
    assert.deepEqual([again.changes, again.tables[0].state], [[], 'current']);
    write(page, text.replace('| shell | ', '| shell | 9'));
    assert.equal((await plan()).tables[0].state, 'differs');
  });

  test('a table without samples is a problem unless it is listed', async (t) => {
    const hand = '| a | b |\n| --- | --- |\n| 1.5 ms | 2 % |\n';
    const { write, plan } = await makeProject(t, { page: PLACE + hand });
    const [problem] = (await plan()).problems;
    assert.match(problem, /^docs\/results\/speed\.md:\d+: this table has no samples/);
    const numbers = /list (\w+)$/.exec(problem)?.[1];
    const list = { tables: [{ page: 'docs/results/speed.md', table: 'a', numbers }], logs: [] };
    write('bench/results/without-data.json', JSON.stringify(list));
    assert.deepEqual((await plan()).problems, []);
    write('docs/results/speed.md', PLACE + hand.replace('a | b', 'c | d'));
    assert.deepEqual((await plan()).problems, []);
    write('docs/results/speed.md', PLACE + hand.replace('1.5', '1.4'));
    assert.equal((await plan()).problems.length, 1);
  });

  test('a listed table that has samples now is removed from the list', async (t) => {
    const page = PLACE.replace('old', '\n| a |\n| --- |\n| 12 |\n');
    const without = await makeProject(t, { page, isMeasured: false });
    const before = await without.plan();
    assert.equal(before.tables[0].state, 'without data');
    const numbers = /list (\w+)$/.exec(before.problems[0])?.[1];
    const tables = [{ page: 'docs/results/speed.md', table: '| a |', numbers }];
    const other = { page: 'docs/results/a.md', table: '| b |', numbers: '0123456789ab' };
    const { write, plan } = await makeProject(t, { page, list: { tables: [...tables, other] } });
    write('docs/results/a.md', '| b |\n| --- |\n| 7 |\n');
    const [, kept] = /list (\w+)$/.exec((await plan()).problems[0]) ?? [];
    const list = { tables: [...tables, { ...other, numbers: kept }], logs: [] };
    write('bench/results/without-data.json', JSON.stringify(list));
    const { problems, changes } = await plan();
    assert.deepEqual(problems, []);
    const change = changes.find(({ page }) => page === 'bench/results/without-data.json');
    assert.deepEqual(JSON.parse(change?.text ?? '').tables, [{ ...other, numbers: kept }]);
  });

  test('a figure in the prose of the README that no generated table has is a problem', async (t) => {
    const { root, write, plan } = await makeProject(t);
    const [row] = readPublished(root, 'speed').rows.filter(
      ({ level, metric }) => level === 'ffmpeg' && metric === 'throughput',
    );
    const shown = /\| shell \| ([\d,.]+) \|/.exec((await plan()).changes[0].text)?.[1];
    assert.equal(Number(shown), row.median);
    write('README.md', `A pipe takes ${shown} MB/s, and [a link](x/77%25).\n\n    45 ms in code\n`);
    assert.deepEqual((await plan()).problems, []);
    write('README.md', 'A pipe takes 31.41 MB/s.\n');
    assert.deepEqual((await plan()).problems, [
      'README.md:1: "31.41 MB/s" is in no generated table',
    ]);
  });

  test('unknown places, unused samples and damaged files are problems', async (t) => {
    const { root, write, plan } = await makeProject(t, { page: PLACE.replace('speed', 'size') });
    writePublished(root, 'unused', readPublished(root, 'speed'));
    write('bench/results/broken.json.gz', 'no gzip');
    const { problems } = await plan();
    assert.match(problems.join('\n'), /broken\.json\.gz: /);
    assert.match(problems.join('\n'), /tables has no size\.js/);
    assert.match(problems.join('\n'), /no page has table speed/);
    assert.match(problems.join('\n'), /no table uses bench\/results\/unused/);
  });

  test('results are a problem 30 days after their measured code has changed', async (t) => {
    const { root, write, plan } = await makeProject(t);
    /** @param {string[]} args */
    const git = (...args) =>
      execFileSync('git', ['-C', root, '-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
        encoding: 'utf8',
        stdio: 'pipe',
        env: { ...process.env, GIT_COMMITTER_DATE: '2026-02-01T00:00:00Z' },
      }).trim();
    const commit = (/** @type {string} */ path, /** @type {string} */ text) => {
      write(path, text);
      git('add', '-A');
      git('commit', '-qm', 'x');
    };
    git('init', '-q');
    commit('app/process/pipe.js', '// measured');
    const results = readPublished(root, 'speed');
    const measured = { commit: git('rev-parse', 'HEAD'), command: 'pitv bench run pipe' };
    writePublished(root, 'speed', { ...results, provenance: measured });
    commit('app/other.js', '// not measured');
    const changedAt = Date.parse('2026-02-01T00:00:00Z');
    assert.deepEqual((await plan(changedAt + 90 * DAY_MS)).problems, []);
    commit('app/process/pipe.js', '// changed');
    assert.deepEqual((await plan(changedAt + 29 * DAY_MS)).problems, []);
    assert.deepEqual((await plan(changedAt + 32 * DAY_MS)).problems, [
      'bench/results/speed.json.gz: code that pipe measures changed 32 days ago; measure again (pitv bench run pipe)',
    ]);
    // Without the commit in the history, the date of the measurement is used.
    writePublished(root, 'speed', { ...results, provenance: { ...measured, commit: COMMIT } });
    assert.equal((await plan(changedAt + 32 * DAY_MS)).problems.length, 1);
  });

  test('without a Git history, the age is not checked, which a note states', async (t) => {
    const { plan } = await makeProject(t);
    const { problems, notes } = await plan();
    assert.deepEqual(problems, []);
    assert.match(notes.join(), /age of the figures is not checked/);
  });
});
