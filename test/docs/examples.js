/**
 * Reads the code on the pages. A block that begins with a comment that is a file's name, such as `// main.mjs`, is a
 * file of an example. If the next block is a `text` block, that is what the program prints.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { PAGES, placeOf } from './pages.js';

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
export function writeFiles(files, folder) {
  for (const { file, text } of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  }
}
