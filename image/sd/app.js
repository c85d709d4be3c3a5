/** Makes the app for a board: the project's package, its production dependencies and its addons. */
import { cp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from './shell.js';

/** @typedef {import('../boards.js').Board} Board */

/** Files that are not needed to run the app. Licences stay. */
const UNNEEDED_FILE =
  /(\.(d\.[cm]?ts|map|markdown|ts|flow|coffee)|(^|\/)(README|CHANGELOG|HISTORY|CHANGES)[^/]*\.md|(^|\/)(test|tests|example|examples|benchmark|benchmarks|coverage|\.github)\/.*)$/i;

/**
 * Lists the inputs of the app's layer: the files that npm packs.
 * @param {string} project
 * @returns {Promise<(string | {file: string})[]>}
 */
export async function listAppInputs(project) {
  const listing = await run('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: project,
  });
  const files = JSON.parse(listing)[0].files.map((/** @type {{path: string}} */ { path }) => path);
  const names = [...files, 'package-lock.json'].sort();
  return names.flatMap((name) => [name, { file: join(project, name) }]);
}

/**
 * Installs the production dependencies for the board.
 * @param {string} project
 * @param {Pick<Board, 'cpu' | 'omit'>} board
 * @param {string} folder an empty folder; gets node_modules
 */
export async function makeModules(project, board, folder) {
  for (const name of ['package.json', 'package-lock.json']) {
    await cp(join(project, name), join(folder, name));
  }
  const omit = ['dev', ...board.omit].map((kind) => `--omit=${kind}`);
  await run(
    'npm',
    [
      'ci',
      ...omit,
      '--os=linux',
      `--cpu=${board.cpu}`,
      '--libc=glibc',
      '--ignore-scripts',
      '--no-audit',
      '--no-fund',
      '--loglevel=error',
    ],
    { cwd: folder },
  );
  const modules = join(folder, 'node_modules');
  // The build host has made the pages.
  for (const name of ['esbuild', '@esbuild', '.bin/esbuild']) {
    await rm(join(modules, name), { recursive: true, force: true });
  }
  const files = (await run('find', [modules, '-type', 'f'])).split('\n');
  const unneeded = files.filter((file) => UNNEEDED_FILE.test(file.slice(modules.length)));
  await Promise.all(unneeded.map((file) => rm(file)));
  await run('find', [modules, '-type', 'd', '-empty', '-delete']);
}

/**
 * Unpacks the project's package with its dependencies, without building the addons.
 * @param {string} project
 * @param {string} modules a folder of makeModules
 * @param {string} folder an empty folder; gets the app
 */
export async function packApp(project, modules, folder) {
  const packed = await run(
    'npm',
    ['pack', '--json', '--ignore-scripts', '--pack-destination', folder],
    { cwd: project },
  );
  const tarball = join(folder, JSON.parse(packed)[0].filename);
  await run('tar', ['-xzf', tarball, '-C', folder, '--strip-components=1']);
  await rm(tarball);
  await cp(join(project, 'package-lock.json'), join(folder, 'package-lock.json'));
  await run('cp', ['-a', join(modules, 'node_modules'), folder]);
}

/**
 * Makes the app with its addons.
 * @param {string} project
 * @param {Board} board
 * @param {string} modules a folder of makeModules
 * @param {string} folder an empty folder; gets the app
 */
export async function makeApp(project, board, modules, folder) {
  await packApp(project, modules, folder);
  for (const addon of ['app/native', 'ksm/native']) {
    await run('make', [
      '--no-print-directory',
      '-C',
      join(folder, addon),
      `CC=${board.cc}`,
      `ARCH=${board.cpu}`,
      `CFLAGS=${board.cflags}`,
      'LDFLAGS=-Wl,-s',
    ]);
  }
  // Object files and headers are no longer needed.
  await rm(join(folder, 'build', board.cpu, 'pitv'), { recursive: true, force: true });
  await rm(join(folder, 'node_modules', 'node-api-headers'), { recursive: true, force: true });
}

/**
 * Lists the npm packages in an app folder for the bill of materials.
 * @param {string} app
 * @returns {Promise<{name: string, version: string, license: string}[]>}
 */
export async function listAppPackages(app) {
  const lock = JSON.parse(await readFile(join(app, 'package-lock.json'), 'utf8'));
  const list = [];
  for (const [path, entry] of Object.entries(lock.packages)) {
    if (path === '' || entry.dev) continue;
    const manifest = await readFile(join(app, path, 'package.json'), 'utf8').catch(() => null);
    if (manifest === null) continue; // for another processor
    const { name, version, license } = JSON.parse(manifest);
    list.push({
      name,
      version,
      license: typeof license === 'string' ? license : (license?.type ?? ''),
    });
  }
  return list.sort((a, b) => (a.name < b.name ? -1 : 1));
}
