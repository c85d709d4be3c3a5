/** Lists the files of a package that is a folder of its author. */
import { lstat, opendir } from 'node:fs/promises';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { LIMITS } from '../limits/table.js';
import { refused, shown, tooLarge } from './package-folder.js';

/** Tells whether a file or folder belongs to the author's tools. */
export const isLeftOut = (/** @type {string} */ name) =>
  name.startsWith('.') || name === 'node_modules' || name.endsWith('.tgz');

/**
 * Lists the files of a package, except node_modules/, archives and names that begin with a dot.
 * @param {string} folder
 * @returns {Promise<{path: string, size: number}[]>} paths in the folder, sorted; sizes in bytes
 * @throws {import('../errors.js').PitvError} PITV_PACKAGE_ARCHIVE, PITV_PACKAGE_SIZE
 */
export async function listSourceFiles(folder) {
  /** @type {{path: string, size: number}[]} */
  const found = [];
  const folders = [''];
  for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
    for await (const { name } of await opendir(join(folder, at))) {
      if (isLeftOut(name)) continue;
      const path = at ? `${at}/${name}` : name;
      const about = await lstat(join(folder, path));
      if (about.isDirectory()) folders.push(path);
      else if (about.isFile()) found.push({ path, size: about.size });
      else throw refused(`${shown(path)} is neither a file nor a folder.`);
      const { value: max } = LIMITS.packageFiles;
      if (found.length + folders.length > max) {
        throw tooLarge(`${folder} has more than ${max} files. Is it the folder of a game?`);
      }
    }
  }
  return found.sort((p, q) => (p.path < q.path ? -1 : 1));
}

/**
 * Copies the files of a package.
 * @param {string} folder
 * @param {import('./package-folder.js').PackageFolder} target
 * @throws {import('../errors.js').PitvError} PITV_PACKAGE_ARCHIVE, PITV_PACKAGE_SIZE, or the error of the file system
 */
export async function copySourceFiles(folder, target) {
  for (const { path, size } of await listSourceFiles(folder)) {
    await target.addFile(path, size, createReadStream(join(folder, path)));
  }
}
