/**
 * Runs the tests: `node test/run.js [file or folder ...]`, all of them by default. Ends with what took how
 * long and the line "N passed, N failed", with ", N skipped" where some were; exits 1 unless every one
 * passed or was skipped.
 */
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { readdirSync, statSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const FILE_TIMEOUT_MS = 15 * 60 * 1000;

/** What measures, or asserts how long something takes, has the machine to itself. */
const ALONE = /^test\/(bench|faults|fuzz|hostile|soak)\//;
/**
 * What takes every core or watches the clock runs one by one, the rest side by side; other Nodes' tests, too, which
 * wait most of the time.
 */
const ONE_BY_ONE = /^test\/(engine\/(?!zygote\/nodes)|ksm\/|server\/)/;

/**
 * Container and cards: minutes each. `node test/run.js systems` runs them alone. They are skipped by name where this
 * machine lacks what they need.
 */
const BUILDS = ['test/image/boot/card.js', 'test/image/container.js'];
/**
 * An emulated board keeps one core busy, so as many are on as there are cores, the longest test first. Beside what
 * runs one by one there is one less, and boards have the lowest priority (boot/board.js).
 */
const BOARDS = [
  'test/image/boot/armhf.js',
  'test/image/boot/powercut.js',
  'test/image/boot/armel-repeat.js', // two boards
  'test/image/boot/spoilt.js',
];
const SYSTEMS = [...BUILDS, ...BOARDS];
const SYSTEM = /^test\/image\/(boot\/|container\.js$)/;
const SYSTEM_TIMEOUT_MS = 60 * 60 * 1000;
/** A start of an emulated board takes a minute or two, and each cut is one or two starts. */
const CUT_MS = 4 * 60 * 1000;
/** All of it shall end within an hour: when the rest took this long already, there are fewer power cuts. */
const SLOW_MS = 25 * 60 * 1000;
const CUTS_WHEN_SLOW = '4';
const systemTimeoutMs = Math.max(
  SYSTEM_TIMEOUT_MS,
  CUT_MS * Number(process.env.PITV_POWER_CUTS ?? 0),
);

/** @param {string} path @returns {string[]} the test files at or below it */
function testFiles(path) {
  if (!statSync(path).isDirectory()) return [path];
  return readdirSync(path)
    .filter((name) => name !== 'output' && name !== 'node_modules')
    .sort()
    .flatMap((name) => {
      const at = join(path, name);
      return statSync(at).isDirectory() || name.endsWith('.test.js') ? testFiles(at) : [];
    });
}

const asked = process.argv
  .slice(2)
  .flatMap((path) => (path === 'systems' ? SYSTEMS : [path]))
  .map((path) => join(root, relative(root, path)));
const everything = ['test', ...SYSTEMS].map((path) => join(root, path));
const files = (asked.length > 0 ? asked : everything).flatMap(testFiles);
const matching = (/** @type {RegExp} */ pattern) =>
  files.filter((file) => pattern.test(relative(root, file)));
const systems = matching(SYSTEM);
const alone = matching(ALONE);
const oneByOne = matching(ONE_BY_ONE);
const together = files.filter((file) => ![...systems, ...alone, ...oneByOne].includes(file));

const counts = { passed: 0, failed: 0, skipped: 0 };
/** @type {{name: string, seconds: number}[]} */
const stages = [];
/** Files that take longer than that are named at the end. */
const LONG_S = 20;
/** @type {Map<string, number>} file -> seconds of its tests */
const secondsOf = new Map();

/**
 * @param {string} name @param {string[]} some @param {number} concurrency
 * @param {{timeout?: number, write?: (text: string) => unknown}} [how] timeout in ms
 */
async function stage(name, some, concurrency, { timeout = FILE_TIMEOUT_MS, write } = {}) {
  if (some.length === 0) return;
  const started = performance.now();
  const tests = run({ files: some, concurrency, timeout });
  for (const name of /** @type {const} */ (['test:pass', 'test:fail'])) {
    tests.on(name, ({ nesting, file = '', details }) => {
      if (nesting === 0)
        secondsOf.set(file, (secondsOf.get(file) ?? 0) + details.duration_ms / 1000);
    });
  }
  tests.on('test:pass', (event) => {
    if (event.details.type === 'suite') return;
    if (event.skip !== undefined || event.todo !== undefined) counts.skipped++;
    else counts.passed++;
  });
  tests.on('test:fail', (event) => {
    if (event.details.type !== 'suite') counts.failed++;
  });
  write ??= (text) => process.stdout.write(text);
  for await (const text of tests.compose(new spec())) write(String(text));
  stages.push({ name, seconds: (performance.now() - started) / 1000 });
}

/**
 * Takes files one after the other, each with its own name before its lines and a time of its own.
 * @param {string[]} waiting shared by all lanes
 */
async function lane(waiting) {
  for (let file = waiting.shift(); file; file = waiting.shift()) {
    const name = relative(root, file);
    const mark = `${basename(name, '.js')} | `;
    const write = (/** @type {string} */ text) =>
      process.stdout.write(text.replace(/^(?=.)/gm, mark));
    await stage(name, [file], 1, { timeout: systemTimeoutMs, write });
  }
}

/** @param {number} count @param {string[]} waiting */
const lanes = (count, waiting) => Promise.all(Array.from({ length: count }, () => lane(waiting)));

const cores = availableParallelism();
const isBuild = (/** @type {string} */ file) => BUILDS.includes(relative(root, file));
const boards = systems.filter((file) => !isBuild(file));

await stage('side by side', together, cores);
await lanes(cores, systems.filter(isBuild));
await stage('alone', alone, 1);
const beside = lanes(cores - 1, boards);
await stage('one by one', oneByOne, 1);
if (process.env.PITV_POWER_CUTS === undefined && performance.now() > SLOW_MS) {
  process.env.PITV_POWER_CUTS = CUTS_WHEN_SLOW;
  console.log(`This machine is slow today: ${CUTS_WHEN_SLOW} power cuts will have to do.`);
}
await Promise.all([beside, lane(boards)]);

stages.push({ name: 'all of it', seconds: performance.now() / 1000 });
const long = [...secondsOf]
  .map(([file, seconds]) => ({ name: relative(root, file), seconds }))
  .filter(({ name, seconds }) => seconds > LONG_S && !SYSTEM.test(name)) // those are stages
  .sort((a, b) => b.seconds - a.seconds);
for (const { name, seconds } of [...long, ...stages]) {
  const minutes = `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')}`;
  console.log(`${minutes.padStart(6)} min  ${name}`);
}
if (counts.passed === 0) counts.failed ||= 1; // a run without a test is no success
process.exitCode = counts.failed > 0 ? 1 : 0;
const skipped = counts.skipped > 0 ? `, ${counts.skipped} skipped` : '';
console.log(`${counts.passed} passed, ${counts.failed} failed${skipped}`);
