/** Package lists of another architecture or release of Debian. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheRoot } from './layers.js';
import { run } from './shell.js';

/** The script that fetches the package lists. Its content is part of the key of each layer made with it. */
export const APT = fileURLToPath(new URL('../debian/apt.sh', import.meta.url));

/**
 * Returns the suite and the month, which are part of a layer's key: packages are fetched again each month.
 * @returns {[suite: string, month: string]}
 */
export const release = (suite = process.env.PITV_IMAGE_SUITE ?? 'trixie') => [
  suite,
  process.env.PITV_IMAGE_MONTH ?? new Date().toISOString().slice(0, 7),
];

/**
 * Fetches package lists, passes their folder to a function, and deletes it afterwards.
 * @param {string} name of the folder
 * @param {string} arch Debian's name of the architecture
 * @param {(lists: string) => Promise<unknown>} use
 * @param {Record<string, string>} [env] PITV_IMAGE_SUITE: another suite than trixie
 */
export async function withApt(name, arch, use, env) {
  const lists = join(cacheRoot(), `.apt-${name}.${process.pid}`);
  try {
    await run(APT, [arch, lists], { env });
    await use(lists);
  } finally {
    await rm(lists, { recursive: true, force: true });
  }
}
