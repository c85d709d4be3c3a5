/** Runs shell functions of recipes without BitBake. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LAYER } from './files.js';

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

/**
 * Runs a function.
 * @param {string} recipe below RECIPES
 * @param {string} name of the function
 * @param {Record<string, string>} variables of BitBake that it uses, except PLACES
 */
export function runFunction(recipe, name, variables) {
  const shared = functionsOf(COMMON).map(({ text }) => text);
  const { body } = functionsOf(recipe).find((each) => each.name === name) ?? {};
  assert.ok(body, `${recipe} has no ${name}()`);
  const env = { PATH: `${process.env.PATH}:/usr/sbin:/sbin`, ...PLACES, ...variables };
  execFileSync('sh', ['-euc', [FATAL, ...shared, body].join('\n')], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Returns the shell functions of a recipe. @param {string} recipe below RECIPES */
const functionsOf = (recipe) =>
  [...readFileSync(join(RECIPES, recipe), 'utf8').matchAll(FUNCTION)].map(([text, name, body]) => ({
    text,
    name,
    body,
  }));
const FUNCTION = /^(?!python\b)([\w:]+) ?\(\) \{\n([^]*?)^\}$/gm;
