import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { FILES, PAGES, ROOT, exists, placeOf, targetOf, textOf } from './pages.js';

/** @param {string} heading @returns {string} the anchor that GitHub gives it */
const anchorOf = (heading) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}_ -]/gu, '')
    .replaceAll(' ', '-');

/** @type {Map<string, string[]>} path of a page -> its anchors */
const anchors = new Map(
  PAGES.map(({ path, nodes }) => [
    path,
    nodes.filter(({ type }) => type === 'heading').map((heading) => anchorOf(textOf(heading))),
  ]),
);

test('every relative link resolves, and so does its anchor', () => {
  /** @type {string[]} */
  const broken = [];
  for (const page of PAGES) {
    for (const node of page.nodes) {
      const { type, url = '' } = node;
      if (!['link', 'image', 'definition'].includes(type) || /^[a-z]+:/.test(url)) continue;
      const [file, anchor] = url.split('#');
      const target = file ? targetOf(page, file) : page.path;
      if (!exists(target)) broken.push(`${placeOf(page, node)}: ${url}`);
      else if (anchor !== undefined && !anchors.get(target)?.includes(anchor)) {
        broken.push(`${placeOf(page, node)}: ${url} (no such heading)`);
      }
    }
  }
  assert.deepEqual(broken, []);
});

/** The first folder of a path that is a path of the project. */
const FOLDERS = new Set(FILES.filter((file) => file.includes('/')).map((f) => f.split('/')[0]));

/** What is built. */
const BUILT = /^(build|test\/output|image\/out)(\/|$)/;

test('every path of the project in backticks exists', () => {
  /** @type {string[]} */
  const broken = [];
  for (const page of PAGES) {
    for (const node of page.nodes) {
      const path = /^([\w.@-]+(?:\/[\w.@-]+)*)\/?$/.exec(node.value ?? '')?.[1];
      if (node.type !== 'inlineCode' || !path?.includes('/')) continue;
      if (!FOLDERS.has(path.split('/')[0]) || BUILT.test(path) || /\bNAME\b/.test(path)) continue;
      if (page.nodes.some(({ value }) => value?.startsWith(`// ${path}\n`))) continue; // an example
      if (!exists(path)) broken.push(`${placeOf(page, node)}: ${path}`);
    }
  }
  assert.deepEqual(broken, []);
});

test('README leads to every page of docs/, and every page of results is in their index', () => {
  /** @param {string} path @returns {string[]} paths that the page links to */
  const linksOf = (path) => {
    const page = PAGES.find((each) => each.path === path);
    assert.ok(page, path);
    return page.nodes.flatMap(({ type, url = '' }) =>
      type === 'link' && !/^[a-z]+:/.test(url) ? [targetOf(page, url.split('#')[0])] : [],
    );
  };
  const paths = PAGES.map(({ path }) => path);
  const fromReadme = linksOf('README.md');
  const docs = paths.filter((path) => /^docs\/[^/]+\.md$/.test(path));
  const unlinked = docs.filter((path) => !fromReadme.includes(path));
  assert.deepEqual(unlinked, []);
  const fromIndex = linksOf('docs/results/README.md');
  const results = paths.filter((path) => /^docs\/results\/(?!README)/.test(path));
  const unlisted = results.filter((path) => !fromIndex.includes(path));
  assert.deepEqual(unlisted, []);
});

test('a function that stands beside a linked file is in the file', () => {
  /** @type {string[]} */
  const broken = [];
  let found = 0;
  for (const page of PAGES) {
    for (const row of page.text.split('\n')) {
      const file = /\]\(([^)#]+\.js)\)/.exec(row)?.[1];
      for (const [, name] of row.matchAll(/`(?:\w+\.)?(\w+)\(\)`/g)) {
        if (!file || !row.startsWith('|')) continue;
        found++;
        const code = readFileSync(join(ROOT, targetOf(page, file)), 'utf8');
        if (!new RegExp(`\\b${name}\\(`).test(code)) broken.push(`${page.path}: ${file} ${name}()`);
      }
    }
  }
  assert.ok(found > 3, `${found} functions`);
  assert.deepEqual(broken, []);
});
