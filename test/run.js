/**
 * Runs tests: `node test/run.js [--long | --all] [file or folder ...]`. Without paths, all tests except the long ones
 * (`*.long.test.js`, container, cards and boards). With paths, everything there. `--long` adds the long ones except
 * measurements; `--all` adds all of them, and runs each test to its full extent (support/extent.js).
 *
 * Ends with the slowest files, the skipped tests, and the line "N passed, N failed", with ", N skipped" when tests
 * were skipped. The exit code is 1 when a test failed or none passed.
 */
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { availableParallelism } from 'node:os';
import { basename, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { EXTENT } from './support/extent.js';
import { Tally } from './support/tally.js';
import { messageOf } from '../app/errors.js';
import { findTestFiles, root } from './support/test-files.js';

/** The slowest file takes three minutes on two cores. */
const TIMEOUT_MS = 15 * 60 * 1000;
const BOARD_TIMEOUT_MS = 2 * 60 * 60 * 1000;
/** A start of an emulated board takes a minute or two, and each power cut is one or two starts. */
const CUT_MS = 4 * 60 * 1000;
const systemTimeoutMs = Math.max(
  BOARD_TIMEOUT_MS,
  CUT_MS * Number(process.env.PITV_POWER_CUTS ?? 0),
);

const { values, positionals } = parseArgs({
  options: {
    long: { type: 'boolean', default: false },
    all: { type: 'boolean', default: false },
  },
  allowPositionals: true,
});
if (values.long || values.all) process.env[EXTENT] = values.all ? 'all' : 'long';
process.env.LC_ALL = 'C.UTF-8'; // the tests compare English messages
const { short, long } = findFiles();
const tally = new Tally();

/** Finds the test files of the command line. Ends with exit status 2 when one is missing. */
function findFiles() {
  try {
    return findTestFiles(positionals, values.all);
  } catch (error) {
    console.error(`test: ${messageOf(error)}`);
    process.exit(2);
  }
}

/**
 * Runs test files.
 * @param {string} name @param {string[]} files @param {number} concurrency
 * @param {{timeout?: number, write?: (text: string) => unknown}} [options] timeout in ms
 */
async function runStage(
  name,
  files,
  concurrency,
  { timeout = TIMEOUT_MS, write = (text) => process.stdout.write(text) } = {},
) {
  if (files.length === 0) return;
  const started = performance.now();
  const tests = run({ files, concurrency, timeout });
  tally.watch(tests);
  for await (const text of tests.compose(new spec())) write(String(text));
  tally.addStage(name, (performance.now() - started) / 1000);
}

/** Runs files as stages of their own; their lines begin with their names. @param {string[]} waiting shared */
async function runLane(waiting) {
  for (let file = waiting.shift(); file; file = waiting.shift()) {
    const name = relative(root, file);
    const mark = `${basename(name, '.js')} | `;
    const write = (/** @type {string} */ text) =>
      process.stdout.write(text.replace(/^(?=.)/gm, mark));
    await runStage(name, [file], 1, { timeout: systemTimeoutMs, write });
  }
}

/** @param {number} count @param {string[]} waiting */
const runLanes = (count, waiting) =>
  Promise.all(Array.from({ length: count }, () => runLane(waiting)));

const cores = availableParallelism();
/** More files than cores, because most tests wait more than half of their time. */
const sideBySide = Math.ceil(2.5 * cores);

await runStage('side by side', short.together, sideBySide);
await runStage('one by one', short.alone, 1);

if (values.long || values.all || positionals.length > 0) {
  await runStage('long: side by side', long.together, sideBySide);
  await runStage('long: browsers and fleets', long.browsers, cores);
  await runStage('long: one by one', long.alone, 1);
  await runLanes(cores, long.builds);
  await runLanes(cores, long.boards); // an emulated board keeps one core busy
}

tally.addStage('all of it', performance.now() / 1000);
process.exitCode = tally.print() ? 0 : 1;
