/** Makes the app for a board: the project's package, its production dependencies and its addons. */
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run, words } from './shell.js';

/** The folder of the project. */
export const PROJECT = join(dirname(fileURLToPath(import.meta.url)), '../..');

/** @typedef {import('../boards.js').Board} Board */

/** Files of node_modules that are not needed to run the app, for find. Licences stay. */
const UNNEEDED_FILE =
  '.*(\\.(map|markdown|[cm]?ts|flow|coffee)|/(README|CHANGELOG|HISTORY|CHANGES)[^/]*\\.md|/node_modules/.*/(tests?|examples?|benchmarks?|coverage|\\.github)/.*)';

/** Lists the files that npm packs. @returns {Promise<string[]>} relative */
export async function listFiles() {
  const listing = await run('npm', words`pack --dry-run --json --ignore-scripts`, { cwd: PROJECT });
  return JSON.parse(listing)[0].files.map((/** @type {{path: string}} */ { path }) => path);
}

/**
 * @typedef {object} Commit
 * @property {number} timeS seconds since 1970; 0 outside of a git repository
 * @property {string} id abbreviated; '' outside of a git repository
 * @property {boolean} changed whether the work tree differs from it
 */

/** Reads the last commit. @returns {Promise<Commit>} */
export async function lastCommit() {
  const git = (/** @type {string[]} */ ...args) => run('git', args, { cwd: PROJECT });
  try {
    const [time, id] = (await git('log', '-1', '--format=%ct %h', '--abbrev=12')).trim().split(' ');
    const changed = (await git('status', '--porcelain')) !== '';
    return { timeS: Number(time), id, changed };
  } catch {
    return { timeS: 0, id: '', changed: false };
  }
}

/**
 * Installs the production dependencies for the board.
 * @param {Pick<Board, 'cpu' | 'omit'>} board
 * @param {string} folder an empty folder; gets node_modules
 */
export async function makeModules(board, folder) {
  for (const name of ['package.json', 'package-lock.json']) {
    await cp(join(PROJECT, name), join(folder, name));
  }
  const omit = ['dev', ...board.omit].map((kind) => `--omit=${kind}`);
  const machine = words`--os=linux --cpu=${board.cpu} --libc=glibc`;
  const quietly = words`--ignore-scripts --no-audit --no-fund --loglevel=error`;
  await run('npm', ['ci', ...omit, ...machine, ...quietly], { cwd: folder });
  const modules = join(folder, 'node_modules');
  // The build host has made the pages.
  for (const name of ['esbuild', '@esbuild', '.bin/esbuild']) {
    await rm(join(modules, name), { recursive: true, force: true });
  }
  const unneeded = words`-regextype posix-extended -iregex ${UNNEEDED_FILE}`;
  await run('find', [modules, '-type', 'f', ...unneeded, '-delete']);
  await run('find', [modules, '-type', 'd', '-empty', '-delete']);
}

/** Returns the version of a package of image/node. @param {string} name @returns {Promise<string>} */
export async function nodeVersion(name) {
  const versions = await readFile(join(PROJECT, 'image/node/versions.txt'), 'utf8');
  return String(new RegExp(`^${name} (\\S+)`, 'm').exec(versions)?.[1]);
}

/**
 * Fetches the Node.js of a card whose Debian has an older one.
 * @param {Pick<Board, 'cc' | 'cpu' | 'nodePackage'>} board
 * @param {string} folder an empty folder; gets the files of the root file system
 */
export async function makeNode({ cc, cpu, nodePackage }, folder) {
  const fetched = join(folder, 'fetched');
  await run(join(PROJECT, 'image/node/fetch.sh'), [cpu, fetched]);
  const [bin, doc] = ['usr/bin', `usr/share/doc/${nodePackage}`].map((path) => join(folder, path));
  for (const each of [bin, doc]) await mkdir(each, { recursive: true });
  // Symbols for debuggers are a sixth of the program.
  const strip = cc.replace(/gcc$/, 'strip');
  await run(strip, ['-o', join(bin, 'node'), join(fetched, 'bin/node')]);
  await cp(join(fetched, 'LICENSE'), join(doc, 'copyright'));
  await rm(fetched, { recursive: true });
}

/**
 * Unpacks the project's package with its dependencies, without building the addons.
 * @param {string} modules a folder of makeModules
 * @param {string} folder an empty folder; gets the app
 */
export async function packApp(modules, folder) {
  const args = words`pack --json --ignore-scripts --pack-destination ${folder}`;
  const packed = await run('npm', args, { cwd: PROJECT });
  const tarball = join(folder, JSON.parse(packed)[0].filename);
  await run('tar', ['-xzf', tarball, '-C', folder, '--strip-components=1']);
  await rm(tarball);
  await cp(join(PROJECT, 'package-lock.json'), join(folder, 'package-lock.json'));
  await run('cp', ['-a', join(modules, 'node_modules'), folder]);
}

/**
 * Makes the app with its addons.
 * @param {Board} board
 * @param {string} modules a folder of makeModules
 * @param {string} folder an empty folder; gets the app
 */
export async function makeApp(board, modules, folder) {
  await packApp(modules, folder);
  const { cc, cpu, cflags } = board;
  for (const addon of ['app/native', 'ksm/native']) {
    const at = join(folder, addon);
    await run('make', words`-C ${at} CC=${cc} ARCH=${cpu} CFLAGS=${cflags} LDFLAGS=-Wl,-s`);
  }
  // Object files and headers are no longer needed.
  await rm(join(folder, 'build', cpu, 'pitv'), { recursive: true, force: true });
  await rm(join(folder, 'node_modules', 'node-api-headers'), { recursive: true, force: true });
}

/**
 * Lists the npm packages in an app folder, without those for other processors.
 * @param {string} app
 * @returns {Promise<{name: string, version: string, license: string, path: string}[]>} by path, which is in the folder
 */
export async function listAppPackages(app) {
  const lock = JSON.parse(await readFile(join(app, 'package-lock.json'), 'utf8'));
  const list = [];
  for (const [path, { dev }] of Object.entries(lock.packages)) {
    const manifest = join(app, path, 'package.json');
    if (path === '' || dev || !existsSync(manifest)) continue;
    const { name, version, license } = JSON.parse(await readFile(manifest, 'utf8'));
    list.push({ name, version, license: license?.type ?? license ?? '', path });
  }
  return list;
}
