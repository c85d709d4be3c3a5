/**
 * The rooms of the house and their doors: which part may import which. The design hangs on it: a
 * kernel that knows of no web can run in a worker, and an engine that knows of no game can run any.
 */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import test from 'node:test';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** What puts all of it together. */
const TV = ['app/create-tv.js', 'app/tv.js'];

/** @typedef {{file: string, target: string}} Import paths from the root; URLs as they are */

/** @param {string} folder from the root @returns {string[]} its modules */
function modules(folder) {
  if (!existsSync(join(ROOT, folder))) return [];
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.js') && !name.includes('node_modules'))
    .map((name) => join(folder, name));
}

/**
 * Static imports, re-exports and dynamic imports of a literal, and files named by URL.
 * @param {string} source
 * @returns {string[]}
 */
function specifiers(source) {
  const code = source.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
  const patterns = [
    /(?:^|[\s;}])(?:import|export)\b[^'"`;()]*?\bfrom\s*['"]([^'"]+)['"]/g,
    /(?:^|[\s;])import\s*['"]([^'"]+)['"]/g,
    /\bimport\(\s*['"]([^'"]+)['"]\s*\)/g,
    /\bnew URL\(\s*['"](\.[^'"]+)['"]\s*,\s*import\.meta\.url/g,
  ];
  return patterns.flatMap((pattern) => [...code.matchAll(pattern)].map((match) => match[1]));
}

/** @param {string} file from the root @returns {Import[]} */
function importsOf(file) {
  return specifiers(readFileSync(join(ROOT, file), 'utf8')).map((specifier) => ({
    file,
    target: specifier.startsWith('.')
      ? relative(ROOT, join(ROOT, dirname(file), specifier))
      : specifier,
  }));
}

/** @param {string} folder @param {(target: string) => boolean} allowed @returns {string[]} */
function wrongArrows(folder, allowed) {
  return modules(folder)
    .flatMap(importsOf)
    .filter(({ target }) => !allowed(target))
    .map(({ file, target }) => `${file} -> ${target}`);
}

/** @param {string} target @param {...string} rooms folders end in / */
const isIn = (target, ...rooms) =>
  rooms.some((room) => (room.endsWith('/') ? `${target}/`.startsWith(room) : target === room));

/** Is it neither a path of ours nor a URL: a package or a module of Node? @param {string} target */
const isPackage = (target) =>
  !isIn(target, 'app/', 'bench/', 'ksm/', 'test/', 'image/') && !/^[./]|^\w+:\/\//.test(target);

test('the parser of imports sees every form', () => {
  const source = `
    import a from './a.js';
    import { b,
      c } from "../b.js";
    export * from './c.js';
    export { d } from './d.js';
    import './e.js';
    const f = await import('./f.js');
    const g = new URL('./g.js', import.meta.url);
    // import x from './x.js';
    /* import y from './y.js'; */
    /** @type {import('./z.js').Z} */
  `;
  assert.deepEqual(specifiers(source).sort(), [
    '../b.js',
    './a.js',
    './c.js',
    './d.js',
    './e.js',
    './f.js',
    './g.js',
  ]);
});

test('every room is there and has modules', () => {
  for (const room of ['app/game', 'app/games', 'app/engine', 'app/server', 'app/web']) {
    assert.ok(modules(room).length > 0, room);
  }
});

test('game/ imports itself, the errors, the check of options and what Node has', () => {
  const wrong = wrongArrows(
    'app/game',
    (target) =>
      isIn(target, 'app/game/', 'app/errors.js', 'app/options.js') || target.startsWith('node:'),
  );
  assert.deepEqual(wrong, []);
});

test('games/ imports the kernel and itself', () => {
  const wrong = wrongArrows('app/games', (target) =>
    isIn(target, 'app/game/', 'app/games/', 'app/errors.js'),
  );
  assert.deepEqual(wrong, []);
});

test('engine/ knows nothing of games, kernel, server and pages', () => {
  const leaves = ['app/errors.js', 'app/options.js', 'app/limits/table.js'];
  const allowed = ['app/engine/', ...leaves, 'build/', 'ksm/'];
  const wrong = wrongArrows(
    'app/engine',
    (target) => isPackage(target) || isIn(target, ...allowed),
  );
  assert.deepEqual(wrong, []);
});

test('server/ knows nothing of engines and games', () => {
  const forbidden = ['app/engine/', 'app/games/', 'app/match.js', ...TV, 'ksm/', 'bench/'];
  const wrong = wrongArrows('app/server', (target) => !isIn(target, ...forbidden));
  assert.deepEqual(wrong, []);
});

test('udp/ knows of the engine only its addon, and nothing of games, server and TV', () => {
  const leaves = ['app/errors.js', 'app/prometheus.js', 'app/limits/'];
  const own = ['app/udp/', 'app/engine/native.js', 'app/game/input.js', ...leaves];
  const wrong = wrongArrows('app/udp', (target) => isPackage(target) || isIn(target, ...own));
  assert.deepEqual(wrong, []);
});

test('only match.js, the TV and what they stand on join engines and games', () => {
  const joiners = [...TV, 'app/match.js', 'app/config.js', 'app/catalog.js'];
  const wrong = readdirSync(join(ROOT, 'app'))
    .filter((name) => name.endsWith('.js'))
    .map((name) => join('app', name))
    .filter((file) => !joiners.includes(file))
    .flatMap(importsOf)
    .filter(({ target }) => isIn(target, 'app/engine/', 'app/games/'))
    .filter(({ target }) => target !== 'app/engine/native.js'); // the addon is everybody's
  assert.deepEqual(wrong, []);
});

test('media/ draws with the page’s own modules, and knows nothing of games, matches and server', () => {
  const forbidden = ['app/games/', 'app/server/', 'app/match.js', 'app/lobby.js', ...TV];
  const wrong = wrongArrows('app/media', (target) => !isIn(target, ...forbidden));
  assert.deepEqual(wrong, []);
});

test('ksm/ imports nothing of app/', () => {
  const wrong = wrongArrows('ksm', (target) => isPackage(target) || isIn(target, 'ksm/'));
  assert.deepEqual(wrong, []);
});

test('pages import pages and /lib/, and the two files that they share with the kernel', () => {
  const shared = ['app/game/frame.js', 'app/game/input.js'];
  const wrong = wrongArrows(
    'app/web',
    (target) => isIn(target, 'app/web/', ...shared) || target.startsWith('/lib/'),
  );
  assert.deepEqual(wrong, []);
});

test('no page names another host', () => {
  const files = readdirSync(join(ROOT, 'app/web'), { recursive: true, encoding: 'utf8' });
  const wrong = files
    .filter((name) => /\.(html|css|js|svg|webmanifest)$/.test(name))
    .filter((name) => {
      const text = readFileSync(join(ROOT, 'app/web', name), 'utf8');
      return [
        ...text.matchAll(/(?:src|href|url|fetch|import|WebSocket)\W{1,3}(?:https?:)?\/\/([\w.]+)/g),
      ].some(([, host]) => host !== 'www.w3.org');
    });
  assert.deepEqual(wrong, []);
});
