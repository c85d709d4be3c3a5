/** Package lists of another architecture or release of Debian. */
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readVersion } from '../../app/version.js';
import { cacheRoot } from './layers.js';
import { run } from './shell.js';

/** The list of suites that apt.sh writes. */
export const SUITES = 'suites.tsv';
/** The script that fetches the package lists. Its content is part of the key of each layer made with it. */
export const APT = fileURLToPath(new URL('../debian/apt.sh', import.meta.url));

/**
 * Returns the suite, and what else decides about its packages. Both are part of a layer's key: packages are fetched
 * again each month, and a system that may lack security updates is never used as one that has them.
 * @returns {[suite: string, edition: string]}
 */
export function release(suite = process.env.PITV_IMAGE_SUITE ?? 'trixie') {
  const month = process.env.PITV_IMAGE_MONTH ?? new Date().toISOString().slice(0, 7);
  return [suite, `${month} ${process.env.PITV_IMAGE_SECURITY ?? ''}`.trim()];
}

/**
 * Reads which suites the packages of layers are from: those that all have, with the oldest date of their lists.
 * @param {{folder: string}[]} layers
 * @returns {Promise<{suite: string, date: string}[]>} date: YYYY-MM-DD
 */
export async function readSuites(layers) {
  const lists = await Promise.all(
    layers.map(async ({ folder }) => {
      const lines = (await readFile(join(folder, SUITES), 'utf8')).trim().split('\n');
      return lines.map((line) => line.split('\t'));
    }),
  );
  return lists[0].flatMap(([suite]) => {
    const dates = lists.flatMap((list) => list.filter(([name]) => name === suite));
    const date = dates.map(([, each]) => each).sort()[0];
    return dates.length === lists.length ? [{ suite, date }] : [];
  });
}

/**
 * Returns the version of a system, such as 0.2.0+20261126.202611281930: that of pitv, the date of the newest packages,
 * and the time of the commit. A system with older packages is an older one.
 * @param {{date: string}[]} suites @param {number} epochS
 */
export function systemVersion(suites, epochS) {
  const dates = suites.map(({ date }) => date).sort();
  const time = new Date(epochS * 1000).toISOString().slice(0, 'yyyy-mm-ddThh:mm'.length);
  return `${readVersion()}+${[dates.at(-1) ?? '', time].map((each) => each.replace(/\D/g, '')).join('.')}`;
}

/**
 * Fetches package lists, passes their folder to a function, and deletes it afterwards.
 * @template T
 * @param {string} name of the folder
 * @param {string} arch Debian's name of the architecture
 * @param {(lists: string) => Promise<T>} use
 * @param {Record<string, string>} [env] PITV_IMAGE_SUITE: another suite than trixie
 * @returns {Promise<T>} the result of use()
 */
export async function withApt(name, arch, use, env) {
  const lists = join(cacheRoot(), `.apt-${name}.${process.pid}`);
  try {
    await run(APT, [arch, lists], { env });
    return await use(lists);
  } finally {
    await rm(lists, { recursive: true, force: true });
  }
}
