import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { loadItem, saveItem } from '../../app/web/lib/dom.js';

const WEB = fileURLToPath(new URL('../../app/web/', import.meta.url));
const PAGES = ['screen', 'pad', 'admin', 'wifi', 'replay'];
const ADDRESSES = ['/', '/pad', '/admin', '/replay'];

const files = readdirSync(WEB, { recursive: true, encoding: 'utf8' })
  .filter((name) => /\.(html|css|js|svg|png|webmanifest)$/.test(name))
  .map((name) => join(WEB, name));
const texts = new Map(files.map((file) => [file, readFileSync(file, 'utf8')]));
/** @param {string} extension */
const withExtension = (extension) => [...texts].filter(([file]) => file.endsWith(extension));

test('every page loads the version for old browsers by its own name', () => {
  for (const page of PAGES) {
    const html = texts.get(join(WEB, page, 'index.html')) ?? '';
    assert.match(html, new RegExp(`<html lang="en" data-page="${page}">`));
    assert.match(html, /type="module"[^]*<script defer src="\/old\/start\.js">/);
    assert.match(texts.get(join(WEB, page, 'main.js')) ?? '', /^import '..\/lib\/modern\.js';/);
  }
});

test('no style uses what Chromium 68 lacks', () => {
  for (const [file, css] of withExtension('.css')) {
    const code = css.replace(/\/\*[^]*?\*\//g, '');
    const lacking = /(^|\s)(inset|aspect-ratio):|color-mix\(|:is\(|:where\(|:has\(/;
    assert.doesNotMatch(code, lacking, file);
    for (const [, body] of code.matchAll(/\{([^{}]*)\}/g)) {
      const hasGap = /display: (inline-)?flex/.test(body) && /\bgap: [^0]/.test(body);
      assert.ok(!hasGap, `${file}: ${body}`);
      // A browser discards an unknown function at once, but not in a value with var().
      assert.doesNotMatch(body, /^(?!\s*--).*\b(min|max|clamp|env)\(.*var\(/m, file);
    }
  }
});

test('no file refers to another host', () => {
  const namespaces = /http:\/\/www\.w3\.org\/\d+\/\w+/g;
  const examples = /https?:\/\/(pi\.box|example\.org)\b/g; // of settings
  for (const [file, text] of texts) {
    const code = text
      .replace(namespaces, '')
      .replace(examples, '')
      .replace(/^\s*(\*|\/\/).*$/gm, '');
    assert.doesNotMatch(code, /\b(https?|wss?):\/\/[\w[]/, file);
    assert.doesNotMatch(code, /(src|href|url\()=?["'(]?\/\/\w/, file);
  }
});

test('no page has inline scripts or styles, so that the content security policy can forbid them', () => {
  for (const [file, html] of withExtension('.html')) {
    assert.doesNotMatch(html, /<style|\sstyle=|\son\w+=|javascript:/i, file);
    for (const [, attributes, body] of html.matchAll(/<script([^>]*)>([^]*?)<\/script>/g)) {
      assert.match(attributes, /src="/, file);
      assert.equal(body.trim(), '', file);
    }
  }
  const unsafe = /\.innerHTML|\.outerHTML|insertAdjacentHTML|document\.write|\beval\(/;
  for (const [file, code] of withExtension('.js')) {
    assert.doesNotMatch(code, unsafe, file);
    assert.doesNotMatch(code, /setAttribute\(\s*['"]style['"]/, file);
  }
});

test('all files used by pages and modules exist', () => {
  const known = new Set(files.map((file) => '/' + posix.normalize(file.slice(WEB.length))));
  const server = readFileSync(join(WEB, '../server/pages.js'), 'utf8');
  const shared = [...server.matchAll(/'((?:game|match)\/[\w-]+\.js)'/g)].map(([, path]) => path);
  assert.ok(shared.includes('game/frame.js'));
  for (const path of shared) known.add(`/${path}`);
  for (const [file, html] of withExtension('.html')) {
    for (const [, path] of html.matchAll(/(?:src|href)="([^"]+)"/g)) {
      assert.ok(known.has(path) || ADDRESSES.includes(path), `${file} uses ${path}`);
    }
  }
  const modules = withExtension('.js').map(([file, code]) => [file.slice(WEB.length), code]);
  for (const path of shared) modules.push([path, readFileSync(join(WEB, '..', path), 'utf8')]);
  const imports = /^(?:import|export)\s(?:[^'"]*\sfrom\s)?'([^']+)'/gm;
  for (const [path, code] of modules) {
    for (const [, imported] of code.matchAll(imports)) {
      const target = posix.join('/', dirname(path), imported);
      assert.ok(imported.startsWith('.') && known.has(target), `${path} imports ${imported}`);
    }
  }
});

test('all elements used by a script are on its page', () => {
  for (const page of PAGES) {
    const html = texts.get(join(WEB, page, 'index.html')) ?? '';
    const ids = new Set([...html.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id));
    const scripts = withExtension('.js').filter(([file]) => dirname(file) === join(WEB, page));
    for (const [file, code] of scripts) {
      for (const [, id] of code.matchAll(/byId(?:As)?\('([^']+)'/g)) {
        assert.ok(ids.has(id), `${file} uses #${id}`);
      }
    }
  }
});

test('a page knows what it could not save', (t) => {
  const items = new Map([['old', 'before']]);
  let isFull = true;
  const storage = {
    getItem: (/** @type {string} */ key) => items.get(key) ?? null,
    removeItem: (/** @type {string} */ key) => items.delete(key),
    setItem(/** @type {string} */ key, /** @type {string} */ value) {
      if (isFull) throw new Error('It is full.');
      items.set(key, value);
    },
  };
  t.after(() => Object.assign(globalThis, { localStorage: undefined }));
  saveItem('new', 'one'); // there is no storage
  assert.equal(loadItem('new'), 'one');
  Object.assign(globalThis, { localStorage: storage });
  saveItem('old', 'after');
  assert.equal(loadItem('old'), 'after');
  saveItem('new', null);
  assert.equal(loadItem('new'), null);
  isFull = false;
  saveItem('old', 'now');
  items.set('old', 'later'); // by another page
  assert.equal(loadItem('old'), 'later');
});
