/** The files of the Yocto layer, and its recipes' shell functions, which run without BitBake. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { root as ROOT } from '../../support/test-files.js';

export { ROOT };
export const YOCTO = join(ROOT, 'image/yocto');
export const LAYER = join(YOCTO, 'meta-pitv');
/** BitBake's variables for folders. `${name}` is also the syntax of the shell. */
export const PLACES = Object.freeze({
  bindir: '/usr/bin',
  nonarch_libdir: '/usr/lib',
  sysconfdir: '/etc',
  systemd_system_unitdir: '/usr/lib/systemd/system',
});

/** BitBake's function for errors. */
const FATAL = 'bbfatal() { echo "$*" >&2; exit 1; }';
const FUNCTION = /^(?!python\b)([\w:]+) ?\(\) \{\n([^]*?)^\}$/gm;

/** Lists all files and links below a folder, sorted. @param {string} folder @returns {string[]} paths */
export const filesBelow = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map(({ parentPath, name }) => join(parentPath, name))
    .sort();

/** Returns the name of a recipe's or another file, without the version. @param {string} path */
export const nameOf = (path) => basename(path).replace(/_[\d.]+\.bb$/, '.bb');

/** Reads a file of the layer. @param {string} name of nameOf() @returns {string} */
export const readRecipe = (name) =>
  readFileSync(filesBelow(LAYER).find((path) => nameOf(path) === name) ?? name, 'utf8');

/**
 * Runs a function.
 * @param {string} file of nameOf()
 * @param {string} name of the function
 * @param {Record<string, string>} variables of BitBake that it uses, except PLACES
 */
export function runFunction(file, name, variables) {
  const functions = [...readRecipe(file).matchAll(FUNCTION)];
  const [, , body] = functions.find(([, each]) => each === name) ?? [];
  assert.ok(body, `${file} has no ${name}()`);
  const env = { PATH: `${process.env.PATH}:/usr/sbin:/sbin`, ...PLACES, ...variables };
  execFileSync('sh', ['-euc', `${FATAL}\n${body}`], { env, stdio: 'pipe' });
}
