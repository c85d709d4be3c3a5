/** Checks the syntax of the Yocto layer with tools in Python, which the first run installs. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { before, test } from 'node:test';
import { LAYER, YOCTO, filesBelow } from './files.js';
import { pythonTools } from './python.js';

/** @type {ReturnType<typeof pythonTools>} */
let python;
before(() => {
  python = pythonTools();
});

const files = filesBelow(LAYER);

/** @param {string} kind */
const check = (kind) => python('python', [join(YOCTO, 'check.py'), kind]);

test('the files for kas match its schema, include existing files and pin every repository', () => {
  assert.deepEqual(check('kas'), { status: 0, output: '' });
});

test('the parser of BitBake accepts every file of the layer', () => {
  assert.deepEqual(check('parse'), { status: 0, output: '' });
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
  assert.deepEqual(python('oelint-adv', args, { OELINT_SKIP_CONFIG: '1' }), {
    status: 0,
    output: '',
  });
});

test('the sources of the recipes are the archive, those of the appends exist', () => {
  const { status, output } = check('variables');
  assert.equal(status, 0, output);
  const recipes = Object.entries(JSON.parse(output));
  assert.ok(recipes.length >= 5);
  for (const [name, variables] of recipes) {
    if (variables.SRC_URI) assert.equal(variables.SRC_URI, '${PITV_ARCHIVE}', name);
  }
  let sources = 0;
  for (const append of files.filter((file) => file.endsWith('.bbappend'))) {
    const text = readFileSync(append, 'utf8');
    const [, folder] = /\$\{THISDIR\}\/([^:"]*)/.exec(text) ?? [];
    for (const [, file] of text.matchAll(/file:\/\/([^\s"']+)/g)) {
      assert.ok(existsSync(join(dirname(append), folder, file)), `${append}: ${file}`);
      sources++;
    }
  }
  assert.ok(sources >= 5);
});
