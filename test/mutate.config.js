/**
 * Settings of `make mutate ROOM=... TESTS=fast`: Stryker changes the code of a room of app/, one change at a time, and
 * runs the tests of that room until one fails; with `fast` only files that need no clients. Its results are kept in
 * build/mutate, and the next run tries only what has changed since.
 */
import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { EQUIVALENT } from './mutate-equivalent.js';
import { Runner } from './mutate-runner.js';
import { findTestFiles } from './support/test-files.js';

const { ROOM = 'limits', TESTS = 'all' } = process.env;
process.env.LC_ALL = 'C.UTF-8'; // the tests compare English messages
process.env.PITV_TEST_TIMEOUT_MS ??= TESTS === 'all' ? '20000' : '5000'; // for what does not happen any more
const FOLDER = 'build/mutate';

const folder = [`test/${ROOM}`, `test/${ROOM.split('/')[0]}`].find((path) => existsSync(path));
const { together, alone } = findTestFiles([String(folder)], false).short;
/** Tells whether the tests of a file start several TVs, or connect clients to one. @param {string} file */
function isSlow(file) {
  const source = readFileSync(file, 'utf8');
  return /\bClient\b/.test(source) || source.split('startTv(').length > 3;
}
const testFiles = [...together, ...alone]
  .filter((file) => TESTS === 'all' || !isSlow(file))
  .sort((a, b) => Number(isSlow(a)) - Number(isSlow(b)))
  .map((file) => relative('.', file));

/** Tells whether a part of the syntax tree is a sentence for people. Those stay as they are. @param {any} path */
function isSentence({ node, parentPath, key, listKey }) {
  const { callee } = node;
  if (node.type === 'CallExpression' && /^(info|warn|error)$/.test(callee.property?.name)) {
    return /^log$/.test(callee.object.name ?? callee.object.property?.name);
  }
  if (node.type === 'VariableDeclarator') return node.id.name === 'sentence';
  const isMessage = parentPath?.node.callee?.name === 'PitvError' && key === 1;
  return listKey === 'arguments' && (isMessage || parentPath.node.callee?.name === 'unusable');
}

/** Prints what no test has noticed, and the row of the room for docs/contributing.md. @param {any} report */
function onMutationTestReportReady({ files }) {
  const counts = { all: 0, noticed: 0, equivalent: 0 };
  /** @type {string[]} */
  const left = [];
  for (const [name, { source, mutants }] of Object.entries(files)) {
    const lines = source.split('\n');
    for (const { status, location, replacement } of mutants) {
      if (!/^(Killed|Timeout|Survived|NoCoverage)$/.test(status)) continue;
      counts.all++;
      if (/^(Killed|Timeout)$/.test(status)) {
        counts.noticed++;
        continue;
      }
      const { start, end } = location;
      const texts = lines.slice(start.line - 1, end.line);
      texts.push(texts.pop().slice(0, end.column - 1));
      texts[0] = texts[0].slice(start.column - 1);
      const change = `${texts.join(' ')} => ${replacement}`.replace(/\s+/g, ' ');
      if (EQUIVALENT[name]?.[change]) counts.equivalent++;
      else left.push(`${name}:${start.line}: ${change}`);
    }
  }
  console.log(left.join('\n'));
  const { all, noticed, equivalent } = counts;
  const percent = ((100 * noticed) / (all - equivalent)).toFixed(1);
  console.log(`| ${ROOM} | ${all} | ${equivalent} | ${noticed} | ${left.length} | ${percent} % |`);
}

export const strykerPlugins = [
  {
    kind: 'Ignore',
    name: 'sentences',
    value: { shouldIgnore: (/** @type {any} */ path) => isSentence(path) && 'a sentence' },
  },
  { kind: 'TestRunner', name: 'own', factory: () => new Runner(testFiles) },
  { kind: 'Reporter', name: 'row', value: { onMutationTestReportReady } },
];

export default {
  // The tables of limits are compared with docs/operations.md.
  mutate: [`app/${ROOM}/**/*.js`, '!app/limits/{admin,clients,files,matches,workers}.js'],
  testRunner: 'own',
  // A change is tried by the tests that run its line. Lines that run in other threads and processes are not seen.
  coverageAnalysis: 'perTest',
  ignoreStatic: true,
  maxTestRunnerReuse: 40,
  concurrency: 2,
  timeoutMS: 20_000,
  disableTypeChecks: false,
  plugins: ['@stryker-mutator/*', './test/mutate.config.js'],
  ignorers: ['sentences'],
  reporters: ['row', 'progress-append-only'],
  ignorePatterns: ['.cache', 'build', 'image/out', 'test/output'],
  tempDirName: FOLDER,
  buildCommand: 'ln -s ../../../.cache ../../../build .', // from FOLDER/sandbox-*
  incremental: true,
  incrementalFile: `${FOLDER}/${ROOM.replace('/', '-')}.json`,
  tsconfigFile: 'none', // a program is not compiled
};
