/** The files of the Yocto layer, and its recipes' shell functions, which run without BitBake. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { lstatSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root as ROOT } from '../../support/test-files.js';

export { ROOT };
export const YOCTO = join(ROOT, 'image/yocto');
export const LAYER = join(YOCTO, 'meta-pitv');
export const RECIPES = join(LAYER, 'recipes-pitv');
/** BitBake's variables for folders. `${name}` is also the syntax of the shell. */
export const PLACES = Object.freeze({
  bindir: '/usr/bin',
  nonarch_libdir: '/usr/lib',
  sysconfdir: '/etc',
  systemd_system_unitdir: '/usr/lib/systemd/system',
});

/** BitBake's function for errors. */
const FATAL = 'bbfatal() { echo "$*" >&2; exit 1; }';
/** Functions that every recipe of the app has. */
const COMMON = 'pitv/pitv.inc';
const FUNCTION = /^(?!python\b)([\w:]+) ?\(\) \{\n([^]*?)^\}$/gm;

/** Lists all files and links below a folder, sorted. @param {string} folder @returns {string[]} */
export function filesBelow(folder) {
  return readdirSync(folder)
    .sort()
    .map((name) => join(folder, name))
    .flatMap((path) => (lstatSync(path).isDirectory() ? filesBelow(path) : [path]));
}

/**
 * Runs a function.
 * @param {string} recipe below RECIPES
 * @param {string} name of the function
 * @param {Record<string, string>} variables of BitBake that it uses, except PLACES
 */
export function runFunction(recipe, name, variables) {
  const functionsIn = (/** @type {string} */ file) => [
    ...readFileSync(join(RECIPES, file), 'utf8').matchAll(FUNCTION),
  ];
  const shared = functionsIn(COMMON).map(([text]) => text);
  const [, , body] = functionsIn(recipe).find(([, each]) => each === name) ?? [];
  assert.ok(body, `${recipe} has no ${name}()`);
  const env = { PATH: `${process.env.PATH}:/usr/sbin:/sbin`, ...PLACES, ...variables };
  execFileSync('sh', ['-euc', [FATAL, ...shared, body].join('\n')], { env, stdio: 'pipe' });
}
