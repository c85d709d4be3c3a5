import test from 'node:test';
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** @param {string} tool @param {string[]} args */
function passes(tool, args) {
  const run = spawnSync(`${root}node_modules/.bin/${tool}`, args, { cwd: root, encoding: 'utf8' });
  assert.equal(run.status, 0, `${tool} ${args.join(' ')}\n${run.stdout}${run.stderr}`);
}

test('eslint finds nothing', () => passes('eslint', ['.']));
test('prettier would change nothing', () => passes('prettier', ['--check', '.']));
test('the types hold (tsc --strict over the JSDoc)', () => passes('tsc', []));
