/** Reads the pages of the documentation: README, docs/ and the READMEs beside the code. */
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parsers } from 'prettier/plugins/markdown';

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
const filesIn = (folder) =>
  readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (IGNORED.test(path)) return [];
    return entry.isDirectory() ? filesIn(path) : [path];
  });

/** Files of the project. */
export const FILES = filesIn('');

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
