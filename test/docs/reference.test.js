import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { flagName, variableName } from '../../app/config/flags.js';
import { SETTINGS } from '../../app/config/settings.js';
import { reference } from '../../docs/parts/games.js';
import { FILES, PAGES, ROOT } from './pages.js';

/** @param {RegExp} paths @returns {string} the text of all these files */
const textOfFiles = (paths) =>
  FILES.filter((file) => paths.test(file))
    .map((file) => readFileSync(join(ROOT, file), 'utf8'))
    .join('\n');

const code = textOfFiles(/\.(m?js|cjs|sh|c|py|txt)$|Makefile|\.service$|\/libexec\//);
const text = PAGES.map((page) => page.text).join('\n');
const operations = PAGES.find(({ path }) => path === 'docs/operations.md')?.text ?? '';

/** @param {RegExp} pattern @returns {string[]} different matches in all pages */
const named = (pattern) => [...new Set(text.match(pattern))];

test('every error code, environment variable and metric on the pages is in the code', () => {
  const environment = Object.keys(SETTINGS).map(variableName);
  const names = [...named(/\bPITV_[A-Z][A-Z_]*[A-Z]\b/g), ...named(/\bpitv_[a-z][a-z_]*[a-z]\b/g)];
  assert.ok(names.length > 20);
  const unknown = names.filter(
    (name) =>
      !environment.includes(name) &&
      !code.includes(name) &&
      !code.includes(name.replace('pitv_', '')),
  );
  assert.deepEqual(unknown, []);
});

test('every option in operations.md is one of `pitv serve`', () => {
  const options = Object.keys(SETTINGS).map((name) => `--${flagName(name)}`);
  const own = operations.replace(/<!-- errors -->[^]*<!-- end of errors -->/, ''); // other commands' as well
  const unknown = [...own.matchAll(/`(--[a-z][a-z-]*)/g)]
    .map(([, option]) => option)
    .filter((option) => !options.includes(option));
  assert.deepEqual(unknown, []);
});

test('the layers in contributing.md are in the order of test/imports.test.js', () => {
  const source = readFileSync(join(ROOT, 'test/imports.test.js'), 'utf8');
  const list = /const LAYERS = \[([^\]]+)\]/.exec(source)?.[1] ?? '';
  const layers = (list.match(/[\w-]+/g) ?? []).reverse();
  const page = PAGES.find(({ path }) => path === 'docs/contributing.md');
  const drawing = page?.nodes.find(({ type, value }) => type === 'code' && value?.includes('->'));
  const drawn = drawing?.value?.split(/[\s>]+|-(?=>)/).filter(Boolean) ?? [];
  assert.ok(drawn.length > 15);
  const inOrder = layers.filter((room) => drawn.includes(room));
  assert.deepEqual(drawn, inOrder);
});

test('the reference of games has the limits of all texts, and nothing but texts of comments', () => {
  const text = reference();
  assert.doesNotMatch(text, /@(param|returns|throws|typedef|property)\b/);
  for (const row of [
    '| `title` | a text of 1 to 70 characters |',
    '| `view.events[i].name` | a text of 1 to 40 characters |',
    '| `translations.ko.teams` | an array of 2 to 4 elements, each a text of 1 to 12 characters |',
  ]) {
    assert.ok(text.includes(row), row);
  }
});

test('README has at most 5 kB', () => {
  assert.ok(readFileSync(join(ROOT, 'README.md')).length <= 5000);
});
