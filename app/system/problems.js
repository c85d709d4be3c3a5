/**
 * Collects the problems of this TV, as sentences: those that the system found before the start (`--problems-dir`:
 * files with one sentence per line) and those that the TV finds itself. They are shown in the screen's lobby, on the
 * console and on the admin page.
 */
import { readFile, readdir, statfs } from 'node:fs/promises';
import { join } from 'node:path';

const MAX_FILES = 16;
const MAX_FILE_CHARACTERS = 4096;
const MAX_SENTENCES = 12;
/** A disk with less free space than both counts as full: no report would fit. */
const MIN_FREE_BYTES = 8 << 20;
const MIN_FREE_SHARE = 0.03;

/** Splits a text into lines without control characters. @param {string} text @returns {string[]} */
const linesOf = (text) =>
  text
    .slice(0, MAX_FILE_CHARACTERS)
    .replace(/[^\n\P{C}]/gu, '?')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');

/** Reads the problems that the system found. @param {string} directory empty: there is none */
async function reportedProblems(directory) {
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

/** @typedef {{bytes: number, freeBytes: number}} Disk freeBytes: for users other than root */

/** Reads the size of a directory's file system. @param {string} directory @returns {Promise<Disk | undefined>} */
export async function diskOf(directory) {
  try {
    const { blocks, bavail, bsize } = await statfs(directory);
    return { bytes: blocks * bsize, freeBytes: bavail * bsize };
  } catch {
    return undefined;
  }
}

/** Tells whether a disk counts as full. @param {Disk | undefined} disk @returns {boolean} */
export const isFull = (disk) =>
  disk !== undefined &&
  disk.freeBytes < MIN_FREE_BYTES &&
  disk.freeBytes < MIN_FREE_SHARE * disk.bytes;

/**
 * Collects all problems.
 * @param {{problemsDir: string, dataDir: string}} settings
 * @param {object} [sources]
 * @param {string} [sources.storeProblem] why nothing can be saved
 * @param {string} [sources.liveProblem] why running matches are not being saved
 * @param {string[]} [sources.notices] sentences of the lobby
 * @param {string[]} [sources.fileProblems] sentences about saved files that were ignored
 * @returns {Promise<string[]>} different sentences
 */
export async function findProblems(
  { problemsDir, dataDir },
  { storeProblem, liveProblem, notices = [], fileProblems = [] } = {},
) {
  const [reported, disk] = await Promise.all([reportedProblems(problemsDir), diskOf(dataDir)]);
  const own = [];
  if (storeProblem) own.push(`Nothing can be saved in ${dataDir}: ${storeProblem}`);
  if (isFull(disk)) own.push('The data partition is full: delete reports or games.');
  own.push(...notices);
  if (liveProblem) own.push(`Matches are not being saved: ${liveProblem}.`);
  return [...new Set([...reported, ...own, ...fileProblems])].slice(0, MAX_SENTENCES);
}
