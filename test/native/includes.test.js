/** The include structure of the addon's C files. A header and the C file of the same name are one unit. */
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { posix } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';

const NATIVE = fileURLToPath(new URL('../../app/native', import.meta.url));
const unitOf = (/** @type {string} */ file) => file.replace(/\.[ch]$/, '');

/** The units that each unit includes. @type {Map<string, Set<string>>} */
const includes = new Map();
for (const file of readdirSync(NATIVE, { recursive: true, encoding: 'utf8' })) {
  if (!/\.[ch]$/.test(file)) continue;
  const unit = unitOf(file);
  const included = includes.get(unit) ?? new Set();
  const text = readFileSync(posix.join(NATIVE, file), 'utf8');
  for (const [, path] of text.matchAll(/^\s*#\s*include\s+"(.+)"/gm)) {
    included.add(unitOf(posix.join(posix.dirname(file), path)));
  }
  included.delete(unit);
  includes.set(unit, included);
}

test('no C file includes itself through other files', () => {
  const left = new Map(includes);
  for (let before = 0; before !== left.size;) {
    before = left.size;
    for (const [unit, included] of left) {
      if (![...included].some((each) => left.has(each))) left.delete(unit);
    }
  }
  assert.deepEqual([...left.keys()], []);
});

test('the helpers for Node-API include no other file of the addon, and no file includes addon.c', () => {
  assert.deepEqual([...(includes.get('napi-util') ?? ['missing'])], []);
  for (const [unit, included] of includes) assert.ok(!included.has('addon'), unit);
});
