/** Which room (folder of app/) imports which: arrows point downwards, and no file imports itself by others. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import test from 'node:test';
import { nodeVersions } from './nodes.js';
import { root as ROOT } from './support/test-files.js';

/** The rooms of app/, lowest first. A room imports only itself and rooms before it. */
const LAYERS = [
  'errors',
  'require',
  'log',
  'version',
  'language',
  'options',
  'limits',
  'native',
  'game',
  'games',
  'pipe',
  'process',
  'storage',
  'engine',
  'pool',
  'packages',
  'match',
  'lobby',
  'admin',
  'fleet',
  'game-test',
  'dev',
  'udp',
  'config',
  'server',
  'system',
  'tv',
  'create-tv',
  'commands',
  'cli',
];
/** Rooms that a room does not import although they are below it. */
const FORBIDDEN = {
  pipe: ['game', 'games'],
  process: ['game', 'games', 'pipe'],
  storage: ['native', 'game', 'games'],
  packages: ['native', 'pool'],
  engine: ['game', 'games'],
  pool: ['game', 'games', 'storage'],
  admin: ['engine', 'game', 'games'],
  udp: ['engine', 'games', 'match', 'lobby'],
  server: ['engine', 'games'],
  system: ['games', 'match'],
};
/** These rooms import nothing but the rooms named here. */
const ONLY = {
  limits: ['errors'],
  native: ['errors'],
  game: ['errors', 'options'],
  games: ['errors', 'game'],
};
/** Programs that other files start by their path. */
const PROGRAMS = ['app/cli.js', 'bench/commands'];

/** @typedef {{file: string, target: string}} Import paths from the root; URLs as they are */

/** @param {string} folder from the root @returns {string[]} its modules */
function modules(folder) {
  if (!existsSync(join(ROOT, folder))) return [];
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.js') && !name.includes('node_modules'))
    .map((name) => join(folder, name));
}

/** Lists static imports, re-exports, imports of a literal, and URLs. @param {string} source @returns {string[]} */
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

/** @param {string} target @param {...string} rooms folders end in / */
const isIn = (target, ...rooms) =>
  rooms.some((room) => (room.endsWith('/') ? `${target}/`.startsWith(room) : target === room));

/** Tells whether an import is a package or a module of Node.js, not a file or a URL. @param {string} target */
const isPackage = (target) =>
  !isIn(target, 'app/', 'bench/', 'ksm/', 'test/', 'image/') && !/^[./]|^\w+:\/\//.test(target);

/** @param {string} path from the root @returns {string} app/match/seats.js -> match, app/tv.js -> tv */
const roomOf = (path) => (path.split('/')[1] ?? '').replace(/\.js$/, '');

const appFiles = modules('app').filter((file) => !isIn(file, 'app/web/'));
/** Imports between rooms of app/. */
const arrows = appFiles
  .flatMap(importsOf)
  .filter(({ target }) => isIn(target, 'app/') && !isIn(target, 'app/web/', ...PROGRAMS))
  .map(({ file, target }) => ({ file, target, from: roomOf(file), to: roomOf(target) }))
  .filter(({ from, to }) => from !== to && to !== '');
const print = (/** @type {Import} */ { file, target }) => `${file} -> ${target}`;

test('every room has a place in the order, and every place has a room', () => {
  const rooms = new Set(appFiles.map(roomOf));
  assert.deepEqual([...rooms].sort(), [...LAYERS].sort());
});

test('imports between rooms point downwards', () => {
  const wrong = arrows.filter(({ from, to }) => LAYERS.indexOf(to) >= LAYERS.indexOf(from));
  assert.deepEqual(wrong.map(print), []);
});

test('rooms know nothing of the rooms that the design keeps from them', () => {
  const wrong = arrows.filter(
    ({ from, to }) =>
      FORBIDDEN[/** @type {keyof typeof FORBIDDEN} */ (from)]?.includes(to) ||
      ONLY[/** @type {keyof typeof ONLY} */ (from)]?.includes(to) === false,
  );
  assert.deepEqual(wrong.map(print), []);
});

test('a TV that is alone loads nothing of a fleet', () => {
  const users = new Set(arrows.filter(({ to }) => to === 'fleet').map(({ from }) => from));
  assert.deepEqual([...users].sort(), ['commands', 'create-tv']);
  const source = readFileSync(join(ROOT, 'app/create-tv.js'), 'utf8');
  assert.doesNotMatch(source, /^import .*fleet/m, 'only with --fleet');
});

test('a TV loads nothing of Node.js that is large and rarely used', () => {
  const program = `import './app/create-tv.js'; import './app/tv.js';
    const large = /^NativeModule (internal\\/deps\\/undici\\/undici|inspector.*|readline)$/;
    console.log(process.moduleLoadList.filter((name) => large.test(name)).join());`;
  for (const { name, command, skip } of nodeVersions()) {
    if (skip || !name.includes(process.arch)) continue;
    const [node, ...args] = [...command, '--input-type=module', '--eval', program];
    assert.equal(execFileSync(node, args, { cwd: ROOT, encoding: 'utf8' }), '\n', name);
  }
});

/** Files that pages share with the TV. */
const SHARED = [
  'app/game/frame-difference.js',
  'app/game/frame-reader.js',
  'app/game/frame.js',
  'app/game/input.js',
  'app/game/replay-file.js',
  'app/match/player-colors.js',
];

/** @typedef {(target: string, file: string) => boolean} Allowed */

for (const [title, folder, allowed] of /** @type {[string, string, Allowed][]} */ ([
  [
    'game/ uses no package',
    'app/game',
    (target) => isIn(target, 'app/') || target.startsWith('node:'),
  ],
  [
    'the games of pitv import what a game of others could: pitv/game and their own files',
    'app/games',
    (target) => isIn(target, 'app/game/index.js', 'pitv/game', 'app/games/'),
  ],
  [
    'only bench/ and the commands import bench/ and image/',
    'app',
    (target, file) => !isIn(target, 'bench/', 'image/', 'test/') || isIn(file, 'app/commands/'),
  ],
  ['ksm/ imports nothing of app/', 'ksm', (target) => isPackage(target) || isIn(target, 'ksm/')],
  [
    'pages import pages and /lib/, and the files that they share with the TV',
    'app/web',
    (target) => isIn(target, 'app/web/', ...SHARED) || target.startsWith('/lib/'),
  ],
])) {
  test(title, () => {
    const wrong = modules(folder)
      .flatMap(importsOf)
      .filter(({ file, target }) => !allowed(target, file));
    assert.deepEqual(wrong.map(print), []);
  });
}

test('no file imports itself by way of others', () => {
  const files = [...appFiles, ...modules('bench'), ...modules('ksm'), ...modules('image')];
  const targets = new Map(files.map((file) => [file, importsOf(file).map(({ target }) => target)]));
  /** @type {Map<string, 'open' | 'done'>} */
  const seen = new Map();
  /** @type {string[]} */
  const circles = [];
  /** @param {string} file @param {string[]} path */
  const visit = (file, path) => {
    if (PROGRAMS.includes(file) || !targets.has(file) || seen.get(file) === 'done') return;
    if (seen.get(file) === 'open') {
      circles.push([...path.slice(path.indexOf(file)), file].join(' -> '));
      return;
    }
    seen.set(file, 'open');
    for (const target of targets.get(file) ?? []) visit(target, [...path, file]);
    seen.set(file, 'done');
  };
  for (const file of files) visit(file, []);
  assert.deepEqual(circles, []);
});
