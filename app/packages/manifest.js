/** The manifest of a game: the package.json of its npm package. manifest.schema.json describes the same. */
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { PitvError, firstSentenceOf, messageOf } from '../errors.js';
import { LIMITS } from '../limits/table.js';
import { checkParts, checkValue, integer, like, object, shape } from '../options.js';

/** The version of `pitv/game` that this TV offers. */
export const API = 1;
export const KEYWORD = 'pitv-game';
export const MANIFEST_FILE = 'package.json';
/** As npm has it. */
const MAX_NAME = 214;
const MAX_ID = 40;
const MAX_VERSION = 64;
const NAME = /^(?:@[a-z0-9-][a-z0-9._-]*\/)?[a-z0-9-][a-z0-9._-]*$/;
const VERSION = /^\d+\.\d+\.\d+(?:-[\w.-]+)?(?:\+[\w.-]+)?$/;
/** Scopes and prefixes of a package's name that are not part of the game's id. */
const PREFIX = /^(?:@[^/]*\/)?(?:pitv-game-|pitv-)?/;
const ID = /^[a-z][a-z0-9-]*$/;
/** A path without empty parts and parts that begin with a dot. */
const GAME = /^(?:[\w-][\w.-]*\/)*[\w-][\w.-]*\.js$/;

/**
 * @typedef {object} Manifest
 * @property {string} id of the game: the package's name without scope and without the prefix `pitv-game-` or `pitv-`
 * @property {string} name of the package
 * @property {string} version
 * @property {string} game path of the game's module in the package
 * @property {number} api version of `pitv/game`
 *
 * @typedef {import('../options.js').Field} Field
 */

const PITV = shape({
  game: like(
    'the path of a .js file in the package, such as "game.js"',
    GAME,
    LIMITS.packagePathBytes.value,
  ),
  api: integer(1, API),
});
/** @type {Field} */
const EMPTY = {
  allowed: 'empty: a game imports pitv/game and its own files only',
  accepts: (value) => Object.keys(value || {}).length === 0,
};
/** @type {Record<string, Field>} */
const FIELDS = {
  name: like('a name of an npm package, such as "gather" or "@me/gather"', NAME, MAX_NAME),
  version: like('a version such as "1.0.0"', VERSION, MAX_VERSION),
  type: { allowed: '"module"', accepts: (value) => value === 'module' },
  keywords: {
    allowed: `an array that contains "${KEYWORD}"`,
    accepts: (value) => Array.isArray(value) && value.includes(KEYWORD),
  },
  pitv: PITV,
  dependencies: EMPTY,
  optionalDependencies: EMPTY,
  bundleDependencies: EMPTY,
  bundledDependencies: EMPTY,
};
/** Makes the error for a package that is not one of a game. @param {string} sentence */
export const invalid = (sentence) => new PitvError('PITV_PACKAGE_INVALID', sentence);

/**
 * Checks a manifest.
 * @param {any} given a parsed package.json; fields of npm that pitv does not use may have any value
 * @returns {Manifest} @throws {PitvError} PITV_PACKAGE_INVALID
 */
export function checkManifest(given) {
  try {
    checkValue(MANIFEST_FILE, 'its content', object(), given);
    for (const [name, field] of Object.entries(FIELDS)) {
      checkParts(MANIFEST_FILE, name, field, given[name]);
    }
  } catch (error) {
    throw invalid(messageOf(error));
  }
  const { name, version, pitv } = given;
  return { id: gameId(name), name, version, game: pitv.game, api: pitv.api };
}

/** Returns the id of a package's game. @param {string} name of the package @throws {PitvError} PITV_PACKAGE_INVALID */
export function gameId(name) {
  const id = name.replace(PREFIX, '');
  if (ID.test(id) && id.length <= MAX_ID) return id;
  throw invalid(
    `${MANIFEST_FILE}: name gives the game the id "${id.slice(0, MAX_ID)}". An id begins with a letter and has at most ${MAX_ID} letters, digits and hyphens.`,
  );
}

/** Reads a folder's manifest, and checks that the game is there. @param {string} folder @throws PITV_PACKAGE_INVALID */
export async function readManifest(folder) {
  const path = join(folder, MANIFEST_FILE);
  const about = await stat(path).catch(() => undefined);
  if (!about?.isFile()) throw invalid(`The package has no ${MANIFEST_FILE}.`);
  const { value: max } = LIMITS.packageManifestBytes;
  if (about.size > max) {
    throw invalid(`${MANIFEST_FILE} has ${about.size} bytes; ${max} are allowed.`);
  }
  const text = await readFile(path, 'utf8');
  let given;
  try {
    given = JSON.parse(text);
  } catch (error) {
    throw invalid(`${MANIFEST_FILE} is not valid JSON: ${firstSentenceOf(error)}`);
  }
  const manifest = checkManifest(given);
  const game = await stat(join(folder, manifest.game)).catch(() => undefined);
  if (game?.isFile()) return manifest;
  throw invalid(`${MANIFEST_FILE}: pitv.game names ${manifest.game}, which is not in the package.`);
}
