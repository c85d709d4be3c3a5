import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { TEXT } from '../../config/flags.js';
import { PitvError, messageOf } from '../../errors.js';
import { OWN_GAMES } from '../../packages/catalog.js';
import { pack } from '../../packages/archive.js';
import { Packages } from '../../packages/packages.js';
import { listSourceFiles } from '../../packages/package-folder.js';
import { Store } from '../../storage/store.js';
import { check } from './common/packages.js';
import { print } from '../common/output.js';

export const help = `Usage: pitv games pack <folder> [options]

Checks a game as pitv games add does, and makes NAME-VERSION.tgz of it, with all files except node_modules, other .tgz
files and names that begin with a dot. The admin page of a TV takes this file, and so does npm publish.

  --out FILE  path of the archive
`;
export const options = { out: TEXT };
export const operands = /** @type {[number, number]} */ ([1, 1]);

/** @param {Record<string, any>} values @param {string[]} operands */
export async function run(values, [folder]) {
  const temporary = await mkdtemp(join(tmpdir(), 'pitv-pack-'));
  try {
    const packages = new Packages(new Store(temporary), OWN_GAMES);
    const source = { kind: /** @type {const} */ ('folder'), from: resolve(folder) };
    const installed = await packages.install(source, { check });
    const { name, version } = installed;
    const out = values.out ?? `${name.replace(/^@/, '').replace('/', '-')}-${version}.tgz`; // as npm has it
    const files = await listSourceFiles(packages.folderOf(installed)); // those that were checked
    await pack(
      packages.folderOf(installed),
      files.map(({ path }) => path),
      resolve(out),
    ).catch((cause) => {
      const sentence = `${out} cannot be written: ${messageOf(cause)}.`;
      throw new PitvError('PITV_FILE_UNWRITABLE', sentence, { cause });
    });
    print(`${out}\n`);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}
