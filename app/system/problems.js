/**
 * What is wrong with this TV, in sentences for people: what the system found before the TV started
 * (`--problems-dir`: files of one sentence a line), and what the TV finds itself. Shown on the screen's
 * lobby, on the console and on the admin page.
 */
import { readFile, readdir, statfs } from 'node:fs/promises';
import { join } from 'node:path';

const MAX_FILES = 16;
const MAX_FILE_CHARACTERS = 4096;
const MAX_SENTENCES = 12;
/** A disk with less than both is called full, because no clip or report would fit. */
const MIN_FREE_BYTES = 8 << 20;
const MIN_FREE_SHARE = 0.03;

/** @param {string} text @returns {string[]} lines fit to be shown */
const linesOf = (text) =>
  text
    .slice(0, MAX_FILE_CHARACTERS)
    .replace(/[^\n\P{C}]/gu, '?')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** @param {string} directory empty: there is none @returns {Promise<string[]>} */
export async function reportedProblems(directory) {
  if (directory === '') return [];
  const names = await readdir(directory).catch(() => /** @type {string[]} */ ([]));
  const texts = await Promise.all(
    names
      .sort()
      .slice(0, MAX_FILES)
      .map((name) => readFile(join(directory, name), 'utf8').catch(() => '')),
  );
  return texts.flatMap(linesOf);
}

/**
 * @typedef {object} Disk
 * @property {number} bytes @property {number} freeBytes for users other than root
 */

/** @param {string} directory @returns {Promise<Disk | undefined>} of its file system */
export async function diskOf(directory) {
  try {
    const { blocks, bavail, bsize } = await statfs(directory);
    return { bytes: blocks * bsize, freeBytes: bavail * bsize };
  } catch {
    return undefined;
  }
}

/** @param {Disk | undefined} disk @returns {boolean} */
export const isFull = (disk) =>
  disk !== undefined &&
  disk.freeBytes < MIN_FREE_BYTES &&
  disk.freeBytes < MIN_FREE_SHARE * disk.bytes;

/**
 * @param {object} what
 * @param {string} what.problemsDir
 * @param {string} what.dataDir
 * @param {string} [what.storeProblem] why nothing can be kept
 * @param {string} [what.liveProblem] why running matches are not being saved
 * @param {string[]} [what.fileProblems] sentences about saved files that were ignored
 * @returns {Promise<string[]>} sentences, none twice
 */
export async function findProblems({
  problemsDir,
  dataDir,
  storeProblem,
  liveProblem,
  fileProblems = [],
}) {
  const [reported, disk] = await Promise.all([reportedProblems(problemsDir), diskOf(dataDir)]);
  const own = [];
  if (storeProblem) own.push(`Nothing can be kept in ${dataDir}: ${storeProblem}`);
  if (isFull(disk)) own.push('The data partition is full: delete clips or reports.');
  if (liveProblem) own.push(`Matches are not being saved: ${liveProblem}.`);
  return [...new Set([...reported, ...own, ...fileProblems])].slice(0, MAX_SENTENCES);
}
