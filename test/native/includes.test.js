/** The include structure of the addon's C files. */
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { posix } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';

const NATIVE = fileURLToPath(new URL('../../app/native', import.meta.url));

/** Returns the unit of a file: a header and the C file of the same name are one unit. @param {string} file */
const unitOf = (file) => file.replace(/\.[ch]$/, '');

/**
 * Reads the units that each unit includes.
 * @param {Record<string, string>} sources path -> text
 * @returns {Map<string, Set<string>>}
 */
function includesOf(sources) {
  /** @type {Map<string, Set<string>>} */
  const includes = new Map();
  for (const [file, text] of Object.entries(sources)) {
    const unit = unitOf(file);
    const included = includes.get(unit) ?? new Set();
    for (const [, path] of text.matchAll(/^\s*#\s*include\s+"(.+)"/gm)) {
      const target = posix.join(posix.dirname(file), path);
      assert.ok(target in sources, `${file} includes ${path}, which does not exist`);
      if (unitOf(target) !== unit) included.add(unitOf(target));
    }
    includes.set(unit, included);
  }
  return includes;
}

/**
 * Finds a circle of includes.
 * @param {Map<string, Set<string>>} includes
 * @returns {string[] | undefined} the units of the circle; the first is repeated at the end
 */
function findCircle(includes) {
  /** @type {Set<string>} */
  const done = new Set();
  /** @param {string} unit @param {string[]} path @returns {string[] | undefined} */
  const visit = (unit, path) => {
    if (path.includes(unit)) return [...path.slice(path.indexOf(unit)), unit];
    if (done.has(unit)) return undefined;
    for (const included of includes.get(unit) ?? []) {
      const circle = visit(included, [...path, unit]);
      if (circle) return circle;
    }
    done.add(unit);
    return undefined;
  };
  for (const unit of includes.keys()) {
    const circle = visit(unit, []);
    if (circle) return circle;
  }
  return undefined;
}

const files = readdirSync(NATIVE, { recursive: true, encoding: 'utf8' }).filter((file) =>
  /\.[ch]$/.test(file),
);
const includes = includesOf(
  Object.fromEntries(files.map((file) => [file, readFileSync(posix.join(NATIVE, file), 'utf8')])),
);

test('no C file includes itself through other files', () => {
  assert.equal(findCircle(includes), undefined);
});

test('the helpers for Node-API include no other file of the addon, and no file includes addon.c', () => {
  assert.deepEqual([...(includes.get('napi-util') ?? ['missing'])], []);
  for (const [unit, included] of includes) assert.ok(!included.has('addon'), unit);
});

test('a circle is found, also through a header and its C file', () => {
  const sources = {
    'addon.c': '#include "util.h"\n',
    'util.h': '#include <stdint.h>\n',
    'util.c': '#include "util.h"\n#include "udp/pads.h"\n',
    'udp/pads.h': '',
    'udp/pads.c': '#include "pads.h"\n  #  include "../util.h"\n',
  };
  assert.deepEqual(findCircle(includesOf(sources)), ['util', 'udp/pads', 'util']);
  assert.equal(findCircle(includesOf({ ...sources, 'udp/pads.c': '' })), undefined);
});
