/** Copies Node.js, so that measured processes map no pages of the harness's files. */
import { spawnSync } from 'node:child_process';
import {
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';

/**
 * @typedef {object} NodeCopy
 * @property {string} path of the copy, or of this Node.js if it could not be copied
 * @property {boolean} isCopy
 * @property {Record<string, string | undefined>} env environment to start it with
 */

/**
 * Copies Node.js, or returns the copy of an earlier sample.
 * @param {string} folder of this run of the harness
 * @param {boolean} [shared] whether Node.js is a shared library with a small program, as in Debian
 * @returns {NodeCopy}
 */
export function copyNode(folder, shared = isShared()) {
  const path = join(folder, 'node');
  const libraries = join(folder, 'node-libraries');
  const env = { ...process.env, ...(shared && { LD_LIBRARY_PATH: libraries }) };
  if (existsSync(path)) return { path, isCopy: true, env };
  const none = { path: process.execPath, isCopy: false, env: process.env };
  const refused = join(folder, 'node-refused');
  if (existsSync(refused)) return none;
  const fresh = `${path}.${process.pid}`;
  try {
    if (shared) copyLibraries(libraries);
    copyFileSync(process.execPath, fresh, constants.COPYFILE_FICLONE);
    // A file system with the option noexec cannot run the copy.
    if (spawnSync(fresh, ['--version'], { env }).status !== 0) throw new Error('it does not run');
    renameSync(fresh, path); // last, so that an existing copy is complete
    return { path, isCopy: true, env };
  } catch {
    for (const made of [fresh, libraries]) rmSync(made, { force: true, recursive: true });
    if (existsSync(folder)) writeFileSync(refused, '');
    return none;
  }
}

/** Returns the paths of the libraries that this process maps, without addons. @returns {string[]} */
const mappedLibraries = () => {
  const maps = readFileSync('/proc/self/maps', 'latin1');
  const paths = maps.match(/(?<=\s)\/\S*\/lib[^/\s]+\.so[^/\s]*$/gm) ?? [];
  return [...new Set(paths)];
};

const isShared = () => Boolean(/** @type {any} */ (process.config.variables).node_shared);

/** @param {string} folder */
function copyLibraries(folder) {
  mkdirSync(folder);
  for (const file of mappedLibraries()) {
    let name = basename(file);
    copyFileSync(file, join(folder, name), constants.COPYFILE_FICLONE);
    // Programs refer to libuv.so.1.0.0 as libuv.so.1.
    for (let next; (next = name.replace(/(?<=\.so.*)\.\d+$/, '')) !== name; name = next) {
      symlinkSync(basename(file), join(folder, next));
    }
  }
}
