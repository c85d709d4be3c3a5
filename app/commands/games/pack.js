import { rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { TEXT } from '../../config/flags.js';
import { pack } from '../../packages/archive.js';
import { listSourceFiles } from '../../packages/package-folder.js';
import { check, withPackage } from './common/packages.js';
import { print, replaceFile } from '../common/output.js';

export const help = `Usage: pitv games pack <folder> [options]

Checks a game as pitv games add does, and makes NAME-VERSION.tgz of it, with all files except node_modules, other .tgz
files and names that begin with a dot. The admin page of a TV takes this file, and so does npm publish.

  --out FILE  path of the archive
`;
export const options = { out: TEXT };
export const operands = /** @type {[number, number]} */ ([1, 1]);

/** @param {Record<string, any>} values @param {string[]} operands */
export async function run(values, [folder]) {
  await withPackage(folder, check, async ({ folder: checked }, { name, version }) => {
    const out = values.out ?? `${name.replace(/^@/, '').replace('/', '-')}-${version}.tgz`; // as npm has it
    const paths = (await listSourceFiles(checked)).map(({ path }) => path);
    // In the folder of somebody else's game, this name may be that of a link.
    if (values.out === undefined) await rm(out, { force: true });
    await replaceFile(resolve(out), (path) => pack(checked, paths, path));
    print(`${out}\n`);
  });
}
