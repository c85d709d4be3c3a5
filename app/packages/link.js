/**
 * Lets packages import `pitv/game`. Node.js looks for `pitv` in the folders node_modules beside a module and above it,
 * and takes the real path of what it finds. So a link above the packages is enough. It works in threads, processes,
 * forks and `node --test`, in all versions of Node.js, without hooks, and a game shares the modules of `pitv/game` that
 * the zygote has loaded already. The link leads to a folder of two files, because programs that walk the data directory
 * may follow it.
 */
import { randomBytes } from 'node:crypto';
import { lstat, readlink, rename, rm, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeDirectory } from '../storage/store.js';

const TARGET = fileURLToPath(new URL('../game/pitv', import.meta.url));

/**
 * Makes the link, or corrects it if this program has moved. Anything else at its place is replaced, except a folder.
 * @param {string} folder that contains the packages, or is that of a package
 * @returns {Promise<string>} path of the link @throws {Error} its folder is a link itself, and may lead anywhere
 */
export async function linkPitv(folder) {
  const modules = join(folder, 'node_modules');
  const link = join(modules, 'pitv');
  const about = await lstat(modules).catch(() => undefined);
  if (about?.isSymbolicLink()) throw new Error(`${modules} is a symbolic link`);
  if ((await readlink(link).catch(() => '')) === TARGET) return link;
  await makeDirectory(modules);
  const temporary = `${link}.${randomBytes(6).toString('hex')}.tmp`;
  await symlink(TARGET, temporary);
  try {
    await rename(temporary, link); // at once: a match may be starting
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  return link;
}
