import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const WEB = fileURLToPath(new URL('../../app/web/', import.meta.url));
/** What the server hands out under an address of its own. */
const PAGES = ['/', '/pad', '/admin'];
const SHARED = ['/lib/frame.js', '/lib/input.js', '/lib/player-colors.js'];

const files = (await readdir(WEB, { recursive: true, withFileTypes: true }))
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath ?? entry.path, entry.name));
const texts = new Map(
  await Promise.all(
    files.map(async (file) => /** @type {const} */ ([file, await readFile(file, 'utf8')])),
  ),
);
/** @param {string} extension */
const withExtension = (extension) => [...texts].filter(([file]) => file.endsWith(extension));

test('there are three pages', () => {
  assert.equal(withExtension('.html').length, 3);
});

test('no file names another host', () => {
  const namespaces = /http:\/\/www\.w3\.org\/\d+\/\w+/g;
  for (const [file, text] of texts) {
    const code = text.replace(namespaces, '').replace(/^\s*(\*|\/\/).*$/gm, '');
    assert.doesNotMatch(code, /\b(https?|wss?):\/\/[\w[]/, file);
    assert.doesNotMatch(code, /(src|href|url\()=?["'(]?\/\/\w/, file);
  }
});

test('no page has a script or a style of its own, so that the policy can forbid them', () => {
  for (const [file, html] of withExtension('.html')) {
    assert.doesNotMatch(html, /<style|\sstyle=|\son\w+=|javascript:/i, file);
    for (const [, attributes, body] of html.matchAll(/<script([^>]*)>([^]*?)<\/script>/g)) {
      assert.match(attributes, /src="/, file);
      assert.equal(body.trim(), '', file);
    }
  }
  for (const [file, code] of withExtension('.js')) {
    assert.doesNotMatch(
      code,
      /\.innerHTML|\.outerHTML|insertAdjacentHTML|document\.write|\beval\(/,
      file,
    );
    assert.doesNotMatch(code, /setAttribute\(\s*['"]style['"]/, file);
  }
});

test('each file that a page or a module asks for is there', () => {
  const known = new Set(files.map((file) => '/' + posix.normalize(file.slice(WEB.length))));
  for (const [file, html] of withExtension('.html')) {
    for (const [, path] of html.matchAll(/(?:src|href)="([^"]+)"/g)) {
      if (PAGES.includes(path)) continue;
      assert.ok(known.has(path), `${file} asks for ${path}`);
    }
  }
  for (const [file, code] of withExtension('.js')) {
    const path = '/' + file.slice(WEB.length);
    if (SHARED.includes(path)) continue; // the server puts the real one in its place
    for (const [, asked] of code.matchAll(/^(?:import|export)\s(?:[^'"]*\sfrom\s)?'([^']+)'/gm)) {
      const target = posix.join(dirname(path), asked);
      assert.ok(asked.startsWith('.') && known.has(target), `${file} imports ${asked}`);
    }
  }
});

test('each element that a script looks for is on its page', () => {
  for (const page of ['screen', 'pad', 'admin']) {
    const html = texts.get(join(WEB, page, 'index.html')) ?? '';
    const ids = new Set([...html.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id));
    for (const [file, code] of withExtension('.js')) {
      if (dirname(file) !== join(WEB, page)) continue;
      for (const [, id] of code.matchAll(/byId(?:As)?\('([^']+)'/g)) {
        assert.ok(ids.has(id), `${file} looks for #${id}`);
      }
    }
  }
});
