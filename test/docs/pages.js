/**
 * Reads the pages of the documentation: README, docs/ and the READMEs beside the code. A block of code that begins with
 * a comment that is a file's name, such as `// main.mjs`, is a file of an example. If the next block is a `text` block,
 * that is what the program prints.
 */
import { readFileSync, readdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parsers } from 'prettier/plugins/markdown';
import { writeTree } from '../support/folders.js';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/**
 * @typedef {object} Node a node of the Markdown tree (mdast)
 * @property {string} type
 * @property {string} [value]
 * @property {string} [url]
 * @property {string | null} [lang]
 * @property {Node[]} [children]
 * @property {{start: {line: number}}} position
 *
 * @typedef {object} Page
 * @property {string} path from the root
 * @property {string} text
 * @property {Node[]} nodes in the order of the text
 */

/** What is built, fetched or written by tests. */
const IGNORED = /^(\.git|\.cache|build|image\/out|test\/output)$|(^|\/)(node_modules|__pycache__)$/;

/** @param {string} folder from the root @returns {string[]} files in it, from the root */
const listFiles = (folder) =>
  readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (IGNORED.test(path)) return [];
    return entry.isDirectory() ? listFiles(path) : [path];
  });

/** Files of the project. */
export const FILES = listFiles('');

/** Does the project have this file or folder? @param {string} path from the root */
export const exists = (path) =>
  path === '.' || FILES.some((file) => file === path || file.startsWith(`${path}/`));

/** @param {Node} node @returns {Node[]} the node and everything below it */
const flatten = (node) => [node, ...(node.children ?? []).flatMap(flatten)];

/** @param {string} path @returns {Promise<Page>} */
async function readPage(path) {
  const text = readFileSync(join(ROOT, path), 'utf8');
  const tree = await parsers.markdown.parse(text, /** @type {any} */ ({}));
  return { path, text, nodes: flatten(tree) };
}

/** @type {Page[]} */
export const PAGES = await Promise.all(
  FILES.filter((path) => path.endsWith('.md') && !path.startsWith('image/yocto/meta-')).map(
    readPage,
  ),
);

/** @param {Node} node @returns {string} the text of a node, without its markup */
export const textOf = (node) => node.value ?? (node.children ?? []).map(textOf).join('');

/** @param {Page} page @param {Node} node @returns {string} where a node is, for a message */
export const placeOf = (page, node) => `${page.path}:${node.position.start.line}`;

/** @param {Page} page @param {string} url relative @returns {string} path from the root */
export const targetOf = (page, url) => join(dirname(page.path), url).replace(/\/$/, '') || '.';

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
