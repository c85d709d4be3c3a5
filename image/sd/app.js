/** The TV for a board: the project's own package, its production dependencies, its addons. */
import { cp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from './shell.js';

/** @typedef {import('../boards.js').Board} Board */

/** Files that are not needed to run the app. Licences stay. */
const SUPERFLUOUS =
  /(\.(d\.[cm]?ts|map|markdown|ts|flow|coffee)|(^|\/)(README|CHANGELOG|HISTORY|CHANGES)[^/]*\.md|(^|\/)(test|tests|example|examples|benchmark|benchmarks|coverage|\.github)\/.*)$/i;

/**
 * What decides how the app comes out, for the layer's key: the very files npm would pack.
 * @param {string} project
 * @returns {Promise<(string | {file: string})[]>}
 */
export async function appInputs(project) {
  const listing = await run('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: project,
  });
  const files = JSON.parse(listing)[0].files.map((/** @type {{path: string}} */ { path }) => path);
  const names = [...files, 'package-lock.json'].sort();
  return names.flatMap((name) => [name, { file: join(project, name) }]);
}

/**
 * The production dependencies, as npm installs them for the board.
 * @param {string} project
 * @param {Pick<Board, 'cpu' | 'omit'>} board
 * @param {string} folder an empty one; node_modules is in it afterwards
 */
export async function makeModules(project, board, folder) {
  for (const name of ['package.json', 'package-lock.json']) {
    await cp(join(project, name), join(folder, name));
  }
  const omit = ['dev', ...board.omit].map((kind) => `--omit=${kind}`);
  await run(
    'npm',
    [
      ...['ci', ...omit, '--os=linux', `--cpu=${board.cpu}`, '--libc=glibc'],
      ...['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'],
    ],
    { cwd: folder },
  );
  const modules = join(folder, 'node_modules');
  const files = (await run('find', [modules, '-type', 'f'])).split('\n');
  const away = files.filter((file) => SUPERFLUOUS.test(file.slice(modules.length)));
  await Promise.all(away.map((file) => rm(file)));
  await run('find', [modules, '-type', 'd', '-empty', '-delete']);
}

/**
 * The project's own package with its dependencies; addons are not built.
 * @param {string} project
 * @param {string} modules a folder of makeModules
 * @param {string} folder an empty one; the app is in it afterwards
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
 * @param {string} project
 * @param {Board} board
 * @param {string} modules a folder of makeModules
 * @param {string} folder an empty one; the app is in it afterwards
 */
export async function makeApp(project, board, modules, folder) {
  await packApp(project, modules, folder);
  for (const addon of ['app/native', 'ksm/native']) {
    await run('make', [
      ...['--no-print-directory', '-C', join(folder, addon)],
      ...[`CC=${board.cc}`, `ARCH=${board.cpu}`, `CFLAGS=${board.cflags}`],
      'LDFLAGS=-Wl,-s',
    ]);
  }
  // Objects, and the headers they were made with: the addons are built.
  await rm(join(folder, 'build', board.cpu, 'pitv'), { recursive: true, force: true });
  await rm(join(folder, 'node_modules', 'node-api-headers'), { recursive: true, force: true });
}

/**
 * The npm packages in an app folder, with version and licence, for the list of materials.
 * @param {string} app
 * @returns {Promise<{name: string, version: string, license: string}[]>}
 */
export async function appPackages(app) {
  const lock = JSON.parse(await readFile(join(app, 'package-lock.json'), 'utf8'));
  const list = [];
  for (const [path, entry] of Object.entries(lock.packages)) {
    if (path === '' || entry.dev) continue;
    const manifest = await readFile(join(app, path, 'package.json'), 'utf8').catch(() => null);
    if (manifest === null) continue; // for another machine
    const { name, version, license } = JSON.parse(manifest);
    list.push({
      name,
      version,
      license: typeof license === 'string' ? license : (license?.type ?? ''),
    });
  }
  return list.sort((a, b) => (a.name < b.name ? -1 : 1));
}
