/** The files of the Yocto layer. */
import { lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
export const YOCTO = join(ROOT, 'image/yocto');
export const LAYER = join(YOCTO, 'meta-pitv');

/** Lists all files and links below a folder, sorted. @param {string} folder @returns {string[]} */
export function filesBelow(folder) {
  return readdirSync(folder)
    .sort()
    .map((name) => join(folder, name))
    .flatMap((path) => (lstatSync(path).isDirectory() ? filesBelow(path) : [path]));
}
