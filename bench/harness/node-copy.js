/** Other files with the same Node in them, whose pages no process of the harness maps. */
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
 * @property {string} path the copy, or this Node where there is no room for one
 * @property {boolean} own is it a copy?
 * @property {Record<string, string | undefined>} env for whoever starts it
 */

/**
 * @param {string} folder of this run of the harness; the copy stays there for the next sample
 * @param {boolean} [shared] is Node itself a library? Debian's is, with a small program before it
 * @returns {NodeCopy}
 */
export function copyNode(folder, shared = isShared()) {
  const path = join(folder, 'node');
  const libraries = join(folder, 'node-libraries');
  const env = { ...process.env, ...(shared && { LD_LIBRARY_PATH: libraries }) };
  if (existsSync(path)) return { path, own: true, env };
  const none = { path: process.execPath, own: false, env: process.env };
  const refused = join(folder, 'node-refused');
  if (existsSync(refused)) return none;
  const fresh = `${path}.${process.pid}`;
  try {
    if (shared) copyLibraries(libraries);
    copyFileSync(process.execPath, fresh, constants.COPYFILE_FICLONE);
    // Where programs may not be run (noexec) there are none to be measured.
    if (spawnSync(fresh, ['--version'], { env }).status !== 0) throw new Error('it does not run');
    renameSync(fresh, path); // last: who sees it finds all of it
    return { path, own: true, env };
  } catch {
    for (const made of [fresh, libraries]) rmSync(made, { force: true, recursive: true });
    if (existsSync(folder)) writeFileSync(refused, '');
    return none;
  }
}

/** @returns {string[]} paths of the libraries that this process maps, without addons */
const mapped = () => {
  const maps = readFileSync('/proc/self/maps', 'latin1');
  const paths = maps.match(/(?<=\s)\/\S*\/lib[^/\s]+\.so[^/\s]*$/gm) ?? [];
  return [...new Set(paths)];
};

const isShared = () => Boolean(/** @type {any} */ (process.config.variables).node_shared);

/** @param {string} folder */
function copyLibraries(folder) {
  mkdirSync(folder, { recursive: true });
  for (const file of mapped()) {
    let name = basename(file);
    copyFileSync(file, join(folder, name), constants.COPYFILE_FICLONE);
    // libuv.so.1.0.0 is asked for as libuv.so.1
    for (let next; (next = name.replace(/(?<=\.so.*)\.\d+$/, '')) !== name; name = next) {
      symlinkSync(basename(file), join(folder, next));
    }
  }
}
