/** Finds the test files and decides which of them may run at the same time. */
import { readdirSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../..', import.meta.url));

/** Container, cards and fresh systems take minutes each. They skip themselves on a machine without the needed tools. */
const BUILDS = ['test/image/fresh-debian.js', 'test/image/container.js'];
/** Tests of emulated boards, the longest first. Makefile has others. */
const BOARDS = [
  'test/image/boot/armhf.js',
  'test/image/boot/match.js',
  'test/image/boot/powercut.js',
  'test/image/boot/damaged-card.js',
];

const LONG = /\.long\.test\.js$/;
/**
 * Browsers without a graphics card keep the cores busy, and a page waits for a time that a person would wait. A fleet
 * is several TVs.
 */
const BROWSERS = /^test\/(e2e|fleet)\//;
/** The longest ones begin first, so that no core is idle while the last one runs. */
const FIRST =
  /^test\/(e2e\/remote|engine\/zygote\/nodes|fleet\/lobby|image\/(npm\/nodes|yocto\/layer)|pool\/piscina)\.long\./;
const BUILD = new RegExp(`^(${BUILDS.join('|')})$`);
const BOARD = /^test\/image\/boot\//;
/** Measurements, which need a quiet machine for long, and what shorter tests on emulators show for the most part. */
const RARE = /^test\/(bench\/claims\/|image\/npm\/arm\.|image\/boot\/powercut\.)/;
/**
 * These compare times, need a quiet machine, run many browsers, or change settings of the kernel. They run one by one.
 */
const ALONE = new RegExp(
  `^test/(${[
    'bench/claims/(?!memory)',
    'e2e/(local-players|old-browsers)\\.long\\.',
    'faults/.*\\.long\\.',
    'fleet/(failures|join)\\.long\\.',
    'hostile/attacks\\.',
    'ksm/(advise|layout|service)\\.',
    'process/memory-account\\.', // other processes share its pages
    'soak/soak\\.long\\.',
  ].join('|')})`,
);

/**
 * Lists the test files of a path: a file stands for itself, a folder for all `*.test.js` below it.
 * @param {string} path relative to the root of the project @returns {string[]} absolute paths
 */
function testFiles(path) {
  const at = join(root, path);
  const about = statSync(at, { throwIfNoEntry: false });
  if (!about) throw new TypeError(`There is no test file or folder ${path}.`);
  if (!about.isDirectory()) return [at];
  return readdirSync(at, { withFileTypes: true })
    .filter(({ name }) => name !== 'output' && name !== 'node_modules')
    .filter((entry) => entry.isDirectory() || entry.name.endsWith('.test.js'))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap(({ name }) => testFiles(join(path, name)));
}

/**
 * Sorts the test files into groups.
 * @param {string[]} paths files and folders, relative to the working directory; `systems` stands for container,
 *   cards and boards. Without any, all tests.
 * @param {boolean} rare whether those are among all tests that only `make test-all` runs
 * @returns files of `make test`, and long ones that it does not run: together side by side, alone one by one
 */
export function findTestFiles(paths, rare) {
  const asked = paths
    .flatMap((path) => (path === 'systems' ? [...BUILDS, ...BOARDS] : [path]))
    .map((path) => relative(root, path));
  const matches = (/** @type {RegExp} */ pattern) => (/** @type {string} */ file) =>
    pattern.test(relative(root, file));
  const all = ['test', ...BUILDS, ...BOARDS];
  const files = (asked.length > 0 ? asked : all)
    .flatMap(testFiles)
    .filter((file) => rare || asked.length > 0 || !matches(RARE)(file))
    .sort((a, b) => Number(matches(FIRST)(b)) - Number(matches(FIRST)(a)));
  const builds = files.filter(matches(BUILD));
  const boards = files.filter(matches(BOARD)).filter((file) => !builds.includes(file));
  const rest = files.filter((file) => !builds.includes(file) && !boards.includes(file));
  const isLong = matches(LONG);
  const { together, alone } = bySpace(rest.filter(isLong));
  const browsers = together.filter(matches(BROWSERS));
  const others = together.filter((file) => !browsers.includes(file));
  return {
    short: bySpace(rest.filter((file) => !isLong(file))),
    long: { together: others, browsers, alone, builds, boards },
  };

  /** @param {string[]} some */
  function bySpace(some) {
    const alone = some.filter(matches(ALONE));
    return { together: some.filter((file) => !alone.includes(file)), alone };
  }
}
