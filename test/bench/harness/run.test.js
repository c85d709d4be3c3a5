import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { processTree } from '../../../app/process/process-tree.js';
import { exitStatus } from '../../../bench/commands/common/measure.js';
import { importScenario } from '../../../bench/harness/scenarios.js';
import { formatResults } from '../../../bench/report/terminal.js';
import { runScenarios } from '../../../bench/harness/run.js';
import { nodeVersions } from '../../nodes.js';
import { isAlive } from '../../support/serve.js';
import { root } from '../../support/test-files.js';
import { setVariable, temporaryFolder, until } from '../../support/tv.js';
import { checkSchema } from '../report/simulated-results.js';

/** A hanging sample is killed after this time. The others end sooner, even on a busy machine. */
const HANG_TIMEOUT_MS = 5_000;
const fake = await importScenario(new URL('./fixtures/fake-scenario.js', import.meta.url).href);

/** @param {import('../../../bench/report/results.js').Results} results @returns {any[]} */
const samplesOf = (results) => JSON.parse(results.notes[0]);

test('each row has its configuration, its samples in the order of the rounds, and their median', async () => {
  const results = await runScenarios([fake], { runs: 3, quick: true, seed: 1 });
  const rows = results.rows.map(({ variant, metric, unit, engine, workers, samples, median }) => {
    return [variant, metric, unit, engine, workers, samples, median];
  });
  assert.deepEqual(rows, [
    ['good', 'time', 'ms', null, null, [10, 12, 11], 11],
    ['good', 'size', 'KiB', null, null, [7, 7, 7], 7],
    ['slow', 'time', 'ms', 'thread', 2, [40, 42, 41], 41],
    ['slow', 'size', 'KiB', 'thread', 2, [7, 7, 7], 7],
  ]);
  assert.equal(results.complete, true);
  assert.equal(exitStatus(results), 0);
  assert.deepEqual(results.method, { runs: 3, warmUps: 0, quick: true, seed: 1 });
  assert.equal(results.machine.node, process.version);
  assert.ok(!Number.isNaN(Date.parse(results.startedAt)));
});

test('each sample has a fresh process; each round measures every configuration once, in an order given by the seed', async () => {
  const orders = [];
  for (const seed of [7, 7, 8]) {
    const results = await runScenarios([fake], { runs: 4, quick: true, seed });
    const samples = samplesOf(results);
    assert.equal(new Set(samples.map(({ facts }) => facts.pid)).size, 8);
    for (let round = 0; round < 4; round++) {
      const taken = samples.slice(round * 2, round * 2 + 2);
      assert.deepEqual(
        taken.map((sample) => sample.round),
        [round, round],
      );
      assert.deepEqual(taken.map(({ configuration }) => configuration.variant).sort(), [
        'good',
        'slow',
      ]);
      assert.ok(taken[0].facts.at <= taken[1].facts.at);
    }
    orders.push(samples.map(({ configuration }) => configuration.variant).join());
  }
  assert.equal(orders[0], orders[1]);
  assert.notEqual(orders[0], orders[2]);
});

test('a variant that fails or hangs is reported, fails the run, and the others are measured', async (t) => {
  setVariable(t, 'FAKE_FAILS', '1');
  const scenario = { ...fake, timeoutMs: HANG_TIMEOUT_MS };
  const results = await runScenarios([scenario], { runs: 1, quick: true, seed: 2 });
  assert.equal(exitStatus(results), 1);
  assert.deepEqual([...new Set(results.rows.map(({ variant }) => variant))], ['good', 'slow']);
  const failures = results.failures.map(({ configuration, message }) => [
    configuration.variant,
    message,
  ]);
  assert.deepEqual(failures.sort(), [
    ['hangs', `killed after the timeout of ${HANG_TIMEOUT_MS / 1000} s`],
    ['throws', 'TypeError: on purpose'],
  ]);
  const text = formatResults(results);
  assert.match(text, /failed: fake throws, n = 10: TypeError: on purpose/);
  assert.match(text, /slow, thread, 2 workers, n = 10 +40\.0/);
});

for (const { has, status, variants } of [
  { has: 'some', status: 0, variants: ['good', 'slow'] },
  { has: 'all', status: 1, variants: [] },
]) {
  test(`${has} variants that this machine cannot measure are skipped once, and the exit status is ${status}`, async (t) => {
    setVariable(t, 'FAKE_MISSING', has);
    const results = await runScenarios([fake], { runs: 2, quick: true, seed: 4 });
    checkSchema(results);
    assert.deepEqual([...new Set(results.rows.map(({ variant }) => variant))], variants);
    assert.deepEqual(results.failures, []);
    assert.equal(results.skipped.length, 2);
    assert.equal(results.complete, true);
    assert.equal(exitStatus(results), status);
    const line = 'fake missing (2 configurations): This machine has no such thing.';
    assert.ok(formatResults(results).includes(`  skipped: ${line}\n`));
  });
}

test('names of runtimes are no engines for scenarios that have none', async () => {
  /** @type {(string[] | undefined)[]} */
  const asked = [];
  const scenario = {
    ...fake,
    configurations: (
      /** @type {import('../../../bench/harness/scenarios.js').Selection} */ { engines },
    ) => {
      asked.push(engines);
      return [];
    },
  };
  const options = { runs: 1, quick: true, engines: ['thread', 'bun'] };
  await runScenarios([scenario, { ...scenario, runtime: () => undefined }], options);
  assert.deepEqual(asked, [['thread'], ['thread', 'bun']]);
});

test('each version of Node.js takes the samples of all configurations, and one that is not here is skipped', async (t) => {
  const other = nodeVersions().find(({ name }) => name.startsWith('Node 26'));
  setVariable(t, 'PITV_NODE_26', other?.command[0] ?? '');
  const own = process.version.slice(1, 3);
  const nodes = [...new Set([own, ...(other?.skip === false ? ['26'] : [])])];
  const options = { runs: 1, quick: true, seed: 9, nodes: [...nodes, '99'] };
  const results = await runScenarios([fake], options);
  checkSchema(results);
  for (const { facts, configuration } of samplesOf(results)) {
    assert.match(facts.runtime, new RegExp(`^Node v${configuration.node}\\.`));
  }
  assert.deepEqual([...new Set(results.rows.map(({ node }) => node))].sort(), nodes.sort());
  assert.deepEqual(
    results.skipped.map(({ configuration }) => configuration.node),
    ['99', '99'],
  );
  assert.match(results.skipped[0].message, /Node 99 is not installed.*node-99@npm:.*PITV_NODE_99/);
  assert.match(formatResults(results), /slow, thread, Node \d+/);
});

test('an interrupted run has estimated the remaining time, keeps its samples and is marked as incomplete', async () => {
  const stop = new AbortController();
  /** @type {(number | undefined)[]} */
  const estimates = [];
  const results = await runScenarios([fake], {
    runs: 1000,
    quick: true,
    seed: 3,
    signal: stop.signal,
    onProgress({ done, left }) {
      estimates.push(left);
      if (done === 5) stop.abort();
    },
  });
  assert.equal(estimates[0], undefined);
  assert.ok(estimates.slice(1).every((seconds) => Number(seconds) > 0));
  assert.equal(results.complete, false);
  assert.equal(exitStatus(results), 1);
  const taken = samplesOf(results).length;
  assert.ok(taken >= 4 && taken <= 5, `${taken} samples`);
  assert.match(formatResults(results), /interrupted/);
});

const endless = new URL('./fixtures/never-ends.js', import.meta.url).href;
const runner = `
  import { importScenario } from ${JSON.stringify(new URL('../../../bench/harness/scenarios.js', import.meta.url).href)};
  import { runScenarios } from ${JSON.stringify(new URL('../../../bench/harness/run.js', import.meta.url).href)};
  const stop = new AbortController();
  process.once('SIGINT', () => stop.abort());
  const options = { scratch: process.argv[1], signal: stop.signal };
  await runScenarios([await importScenario(${JSON.stringify(endless)})], options);
`;

for (const [how, signal] of /** @type {[string, NodeJS.Signals][]} */ ([
  ['interrupted', 'SIGINT'],
  ['killed', 'SIGKILL'],
])) {
  test(`when the harness is ${how}, its sample and the sample’s workers end, and their folder is removed`, async (t) => {
    const folder = temporaryFolder();
    const harness = spawn(process.execPath, ['--input-type=module', '-e', runner, folder], {
      stdio: ['ignore', 'inherit', 'inherit'],
      cwd: root,
    });
    /** @type {number[]} */
    let tree = [];
    t.after(() => tree.filter(isAlive).forEach((pid) => process.kill(pid, 'SIGKILL')));
    // The scenario creates a file when its workers are running. They end only if they are killed.
    const findWork = () =>
      readdirSync(folder).find((name) => existsSync(join(folder, name, 'workers-run')));
    const work = join(folder, await until(findWork, 'the workers'));
    tree = processTree(Number(harness.pid));
    assert.ok(tree.length >= 4, `${tree.length} processes`);
    harness.kill(signal);
    await until(() => !tree.some(isAlive) && !existsSync(work), 'the end of all');
  });
}
