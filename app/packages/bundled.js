/**
 * Installs the packages in games/, which come with pitv, each version once. They are packages like any other: a game
 * that was removed stays away, and a newer pitv replaces the version of an older one.
 */
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '../errors.js';
import { isObject } from '../storage/checks.js';
import { parseJson, unusable } from '../storage/saved-files.js';
import { BUNDLED } from './catalog.js';
import { readManifest } from './manifest.js';
import { GAMES } from './packages.js';
import { listSourceFiles } from './package-folder.js';

/** The hashes of the versions that were installed, by name of the folder. */
const FILE = `${GAMES}/.bundled`;

/** @typedef {import('../errors.js').PitvError} PitvError */
/** @typedef {import('./packages.js').Packages} Packages */

/** @param {Buffer} bytes @returns {Record<string, any>} @throws {PitvError} PITV_SAVED_INVALID */
function parse(bytes) {
  const given = parseJson(bytes);
  if (isObject(given)) return given;
  throw unusable('it is not an object');
}

/**
 * Installs the versions that were not installed before.
 * @param {Packages} packages opened @param {string} [folder] of the packages
 * @returns {Promise<string[]>} sentences about packages that cannot be installed; they are tried again at the next
 *   start
 */
export async function installBundled(packages, folder = BUNDLED) {
  const known = (await packages.store.load(FILE, { parse })) ?? {};
  const names = await readdir(folder);
  const problems = [];
  let changed = false;
  for (const name of names.sort()) {
    const path = join(folder, name);
    if (!existsSync(join(path, 'package.json'))) continue;
    try {
      const hash = await hashFiles(path);
      if (known[name] === hash) continue;
      await installVersion(packages, path, known[name] === undefined);
      known[name] = hash;
      changed = true;
    } catch (error) {
      problems.push(messageOf(error));
    }
  }
  if (changed) await packages.store.write(FILE, JSON.stringify(known));
  return problems;
}

/**
 * Installs a version, unless the game was removed or replaced by a package from elsewhere.
 * @param {Packages} packages @param {string} path @param {boolean} isFirst whether no version was installed before
 */
async function installVersion(packages, path, isFirst) {
  const { id } = await readManifest(path);
  const current = (await packages.list()).find((installed) => installed.id === id);
  const replaces = current ? current.source.kind === 'bundled' : isFirst;
  if (replaces) await packages.install({ kind: 'bundled' }, { file: path, only: id });
}

/** @param {string} folder @returns {Promise<string>} hex */
async function hashFiles(folder) {
  const hash = createHash('sha256');
  for (const { path, size } of await listSourceFiles(folder)) {
    hash.update(`${path} ${size}\n`).update(await readFile(join(folder, path)));
  }
  return hash.digest('hex');
}
