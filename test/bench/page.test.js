/** The report as a reader gets it: in a browser, without a network, in both themes. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { toHtml } from '../../bench/report/html/page.js';
import { machineFacts, passingFacts } from '../../bench/machine/facts.js';
import { answers, formatAnswers } from '../../bench/report/paper-table.js';
import { fillIn, markdown } from '../../bench/report/publish.js';
import { assemble } from '../../bench/report/results.js';
import { launchBrowser } from '../e2e/browser.js';

const RUNS = 12;
const HOSTILE = '</script><script>alert(1)</script>';

/**
 * As the paper's scenarios give them: processes 100, threads 80, zygotes 50 (times the games).
 * @param {string} name @param {string} metric @param {string} reference
 * @param {import('../../bench/harness/scenarios.js').Configuration[]} configurations
 * @param {(one: import('../../bench/harness/scenarios.js').Configuration) => number} value
 */
function planOf(name, metric, reference, configurations, value) {
  const samples = configurations.flatMap((configuration) =>
    Array.from({ length: RUNS }, (_, round) => ({
      ...{ configuration, round, facts: {} },
      metrics: { [metric]: value(configuration) * (1 + 0.01 * ((round * 7) % 5)) },
    })),
  );
  const scenario = {
    ...{ name, title: `${name} ${HOSTILE}`, url: '', reference },
    metrics: [{ name: metric, unit: 'KiB' }],
    configurations: () => configurations,
    sample: async () => samples[0],
  };
  return { scenario, configurations, samples };
}

function paperResults() {
  const relative = /** @type {Record<string, number>} */ ({ process: 100, thread: 80, zygote: 50 });
  const engines = Object.keys(relative).map((engine) => ({ variant: engine, engine }));
  const loaded = [1, 2, 4].flatMap((workers) => engines.map((one) => ({ ...one, workers })));
  const levels = ['off', 'mark'].map((level) => ({ variant: level, level, workers: 4 }));
  const byEngine = (/** @type {{engine?: string | null}} */ { engine }) => relative[String(engine)];
  const passing = passingFacts();
  return assemble(
    [
      planOf('startup', 'ready', 'process', engines, byEngine),
      planOf('memory', 'pss', 'process', loaded, (one) => byEngine(one) * Number(one.workers)),
      planOf('ksm', 'pss', 'off', levels, ({ level }) => (level === 'off' ? 100 : 96)),
    ],
    {
      ...{ pitv: '0.1.0', startedAt: new Date(0).toISOString(), complete: true, failures: [] },
      method: { runs: RUNS, warmUps: 0, quick: false, seed: 1 },
      machine: { ...machineFacts(), before: passing, after: passing },
    },
  );
}

test('the paper’s table says what was found, and whether the paper still holds', () => {
  const found = answers(paperResults());
  assert.deepEqual(
    found.map(({ here, verdict }) => [here.thread, here.zygote, here.mark, verdict]),
    [
      [
        '81.6 ms',
        '51.0 ms',
        undefined,
        'a process takes 1.25 times as long as a thread, then 269 times',
      ],
      ['20 % less', '50 % less', undefined, 'yes'],
      [undefined, undefined, '4 % less', 'yes'],
    ],
  );
  assert.match(formatAnswers(paperResults()), /process 1076 ms, thread 4 ms/);
});

test('two files become one table of Markdown, put between its marks and nowhere else', () => {
  const [one, other] = [paperResults(), paperResults()];
  one.machine.node = 'v20.1.2';
  other.machine.node = 'v24.3.4';
  const text = markdown([one, other]);
  const lines = text.split('\n').filter((line) => line.startsWith('|'));
  assert.equal(new Set(lines.map((line) => line.split('|').length)).size, 1);
  assert.match(text, /\| Node 20\.1, \w+ \| 102 ms \| 81\.6 ms \| 51\.0 ms \| – \|/);
  assert.match(text, /\| \*\*Memory.*\*\* \| paper.* \| – \| 9\.1 to 28\.5 % less \| – \| – \|/);
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

test('an emulated board is called one wherever it is named', () => {
  const results = paperResults();
  Object.assign(results.machine, { board: 'Raspberry Pi A+', cpu: 'ARMv6-compatible processor' });
  results.machine.virtual = 'emulated by QEMU 7.2';
  const text = markdown([results]);
  assert.match(text, /emulated ARMv6 \|/);
  assert.match(text, /Raspberry Pi A\+ \(emulated by QEMU 7\.2\)/);
});

test('the page draws its figures in both themes, asks no network, and hands out the data', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'pitv-page-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'report.html');
  writeFileSync(file, toHtml(paperResults()));
  const browser = await launchBrowser(t);
  for (const colorScheme of /** @type {const} */ (['light', 'dark'])) {
    const page = await browser.newPage({ viewport: { width: 1200, height: 900 }, colorScheme });
    /** @type {string[]} */
    const problems = [];
    page.on('pageerror', (error) => problems.push(error.message));
    page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
    page.on('dialog', (dialog) => (problems.push('hostile text ran'), dialog.dismiss()));
    page.on('request', (request) => {
      if (!/^(file|blob|data):/.test(request.url())) problems.push(request.url());
    });
    await page.goto(pathToFileURL(file).href);
    // Memory, its savings, KSM, and the course of the scenario `memory`.
    assert.equal(await page.locator('.plot canvas').count(), 4);
    const back = () =>
      page.evaluate(() => globalThis.getComputedStyle(globalThis.document.body).backgroundColor);
    const drawn = () =>
      page
        .locator('.plot canvas')
        .first()
        .evaluate((canvas) => /** @type {HTMLCanvasElement} */ (canvas).toDataURL());
    const before = [await back(), await drawn()];
    await page.locator('#theme').click();
    assert.notEqual(await back(), before[0]);
    assert.notEqual(await drawn(), before[1]);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.locator('#get-json').click(),
    ]);
    assert.equal(download.suggestedFilename(), 'pitv-results.json');
    assert.deepEqual(problems, []);
    await page.close();
  }
});
