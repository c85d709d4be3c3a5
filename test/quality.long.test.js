/** Checks types, code and format of all files, as `make lint` does. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import test from 'node:test';
import { root } from './support/test-files.js';

/** Asserts that a tool of node_modules ends with exit status 0. @param {string} tool @param {string[]} args */
function passes(tool, ...args) {
  const run = spawnSync(`${root}node_modules/.bin/${tool}`, args, { cwd: root, encoding: 'utf8' });
  assert.equal(run.status, 0, `${tool} ${args.join(' ')}\n${run.stdout}${run.stderr}`);
}

test('the types hold (tsc --strict over the JSDoc)', () => passes('tsc'));
test('eslint finds nothing', () => passes('eslint', '.'));
test('prettier would change nothing', () => passes('prettier', '--check', '.'));
