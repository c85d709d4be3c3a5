/** Debian's packages of another architecture: which suite, of which month, and the lists of what there is. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheRoot } from './layers.js';
import { run } from './shell.js';

/** Makes the lists; to be hashed into what is made with them. */
export const APT = fileURLToPath(new URL('../debian/apt.sh', import.meta.url));

/** @returns {[string, string]} the suite, and the month: packages are taken anew each month; to be hashed as well */
export const release = () => [
  process.env.PITV_IMAGE_SUITE ?? 'trixie',
  process.env.PITV_IMAGE_MONTH ?? new Date().toISOString().slice(0, 7),
];

/**
 * @param {string} name of the lists' folder in the cache @param {string} arch Debian's word
 * @param {(lists: string) => Promise<unknown>} use the folder is gone after it
 */
export async function withApt(name, arch, use) {
  const lists = join(cacheRoot(), `.apt-${name}.${process.pid}`);
  try {
    await run(APT, [arch, lists]);
    await use(lists);
  } finally {
    await rm(lists, { recursive: true, force: true });
  }
}
