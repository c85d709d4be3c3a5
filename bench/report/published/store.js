/** Stores published results: bench/results/NAME.json.gz has every sample of a run, its commit and its command. */
import { existsSync, mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { messageOf } from '../../../app/errors.js';
import { writeAtomically } from '../../commands/common/usage.js';
import { checkResults } from '../results.js';

/** @typedef {import('../results.js').Results} Results */

const FOLDER = 'bench/results';
const ENDING = '.json.gz';

/** The form of the names of published results. */
export const NAME = /^[a-z0-9]+(-[a-z0-9]+)*$/;

/** Returns the path of published results. @param {string} name @returns {string} from the root of the project */
const pathOf = (name) => `${FOLDER}/${name}${ENDING}`;

/** Lists the names of published results. @param {string} root of the project @returns {string[]} sorted */
export function publishedNames(root) {
  const folder = join(root, FOLDER);
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((file) => file.endsWith(ENDING))
    .map((file) => file.slice(0, -ENDING.length))
    .sort();
}

/**
 * Reads published results.
 * @param {string} root of the project @param {string} name
 * @returns {Results & {provenance: import('../results.js').Provenance}}
 * @throws {Error} with the file's path
 */
export function readPublished(root, name) {
  try {
    const text = gunzipSync(readFileSync(join(root, pathOf(name)))).toString();
    const results = checkResults(JSON.parse(text));
    const { provenance } = results;
    if (!provenance) throw new Error('has no commit and no command');
    return { ...results, provenance };
  } catch (error) {
    throw new Error(`${pathOf(name)}: ${messageOf(error)}`, { cause: error });
  }
}

/** Writes published results. @param {string} root of the project @param {string} name @param {Results} results */
export function writePublished(root, name, results) {
  mkdirSync(join(root, FOLDER), { recursive: true });
  const bytes = gzipSync(`${JSON.stringify(results)}\n`, { level: 9 });
  writeAtomically(join(root, pathOf(name)), bytes);
}
