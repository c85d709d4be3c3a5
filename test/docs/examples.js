/**
 * Reads the code on the pages. A block that begins with a comment that is a file's name, such as `// main.mjs`, is a
 * file of an example. If the next block is a `text` block, that is what the program prints.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { writeTree } from '../support/folders.js';
import { PAGES, ROOT, placeOf } from './pages.js';

/**
 * @typedef {object} Block
 * @property {string} page path from the root
 * @property {string} place page and line, for messages
 * @property {string | null | undefined} lang
 * @property {string} text
 * @property {string} file its name; empty if it is not a file
 * @property {string | undefined} prints what the program prints
 */

/** @type {Block[]} */
export const BLOCKS = PAGES.flatMap((page) => {
  const code = page.nodes.filter(({ type }) => type === 'code');
  return code.map((node, index) => ({
    page: page.path,
    place: placeOf(page, node),
    lang: node.lang,
    text: node.value ?? '',
    file: /^\/\/ ([\w./-]+\.(?:m?js|ts))\n/.exec(node.value ?? '')?.[1] ?? '',
    prints: code[index + 1]?.lang === 'text' ? code[index + 1].value : undefined,
  }));
});

/** The files of examples in a language. @param {string} lang `js` or `ts` */
export const filesIn = (lang) => BLOCKS.filter((block) => block.lang === lang && block.file !== '');

/** Writes files of examples. @param {Block[]} files @param {string} folder */
export const writeFiles = (files, folder) =>
  writeTree(folder, Object.fromEntries(files.map(({ file, text }) => [file, text])));

/**
 * Writes the programs of a page into an empty folder inside the project, where they find `pitv/engine`.
 * @param {string} page @param {string} name of the folder
 * @returns {string} path
 */
export function writePrograms(page, name) {
  const folder = join(ROOT, 'test/output', name);
  rmSync(folder, { recursive: true, force: true });
  const files = filesIn('js').filter((each) => each.page === page);
  writeFiles(files, folder);
  return folder;
}
