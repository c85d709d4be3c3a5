/** Checks the syntax of the Yocto layer with tools in Python, which the first run installs. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { hashOf, makeOnce } from '../../support/folders.js';
import { LAYER, ROOT, YOCTO, filesBelow } from './recipes.js';

/** The tools, from Python's package index. */
const REQUIREMENTS = fileURLToPath(new URL('requirements.txt', import.meta.url));
const TOOLS = join(ROOT, '.cache', `python-${hashOf(REQUIREMENTS)}`);
before(() =>
  makeOnce(TOOLS, (folder) => {
    runOrThrow('python3', ['-m', 'venv', folder]);
    const args = ['-m', 'pip', 'install', '--quiet', '--requirement', REQUIREMENTS];
    runOrThrow(join(folder, 'bin/python'), args);
  }),
);

/** Runs a program; throws if it fails. @param {string} program @param {string[]} args */
function runOrThrow(program, args) {
  const { status, error, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  if (error || status !== 0) throw new Error(`${program} ${args.join(' ')}: ${error ?? stderr}`);
}

/**
 * Runs a script with the Python of the tools.
 * @param {string[]} args @param {Record<string, string>} [more] variables
 * @returns {{status: number | null, output: string}}
 */
function python(args, more) {
  const env = { ...process.env, ...more };
  const program = join(TOOLS, 'bin/python');
  const result = spawnSync(program, args, { cwd: ROOT, encoding: 'utf8', env });
  if (result.error) throw result.error;
  return { status: result.status, output: result.stdout + result.stderr };
}

const files = filesBelow(LAYER);

/** @param {string} kind */
const check = (kind) => python([join(YOCTO, 'check.py'), kind]);
const FINE = { status: 0, output: '' };

test('the files for kas match its schema, include existing files and pin every repository', () => {
  assert.deepEqual(check('kas'), FINE);
});

test('the parser of BitBake accepts every file of the layer', () => {
  assert.deepEqual(check('parse'), FINE);
});

test('oelint finds nothing', () => {
  const linted = files.filter((file) => /\.(bb|bbappend|conf)$/.test(file));
  assert.ok(linted.length >= 8);
  const rules = readFileSync(join(YOCTO, 'oelint.txt'), 'utf8')
    .split('\n')
    .filter((line) => line && !line.startsWith('#'))
    .map((line) => line.split(/\s+/));
  for (const [rule, ...reason] of rules) assert.ok(reason.length > 0, `${rule}: give a reason`);
  const suppress = rules.flatMap(([rule]) => ['--suppress', rule]);
  const args = ['--release', 'wrynose', '--quiet', ...suppress, ...linted];
  // The first line of the tool's script has the path from before the folder was renamed.
  const tool = join(TOOLS, 'bin/oelint-adv');
  assert.deepEqual(python([tool, ...args], { OELINT_SKIP_CONFIG: '1' }), FINE);
});
