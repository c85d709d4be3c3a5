/**
 * Makes the npm packages in build/npm, each as a folder and as a tarball: `pitv`, the worker runtime; `@pitv/ksm`; and
 * `@pitv/tv`, the console. Each takes files of the project without changes, so what is read here is what runs there.
 */
import { existsSync } from 'node:fs';
import { cp, mkdir, readFile, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { prebuiltPath } from '../../ksm/addon/find.cjs';
import { program, usage } from '../program.js';
import { PROJECT, listFiles } from '../sd/app.js';
import { run, words } from '../sd/shell.js';

const OUT = join(PROJECT, 'build/npm');
const PREBUILDS = join(PROJECT, 'build/prebuilds');

/** @typedef {Record<string, any>} Manifest a package.json */

/**
 * @typedef {object} Package
 * @property {string} folder of the project that becomes the root of the package
 * @property {string[]} addons
 * @property {boolean} typed whether it has declarations of types
 * @property {() => Promise<string[]>} files files and folders, relative to `folder`
 * @property {(root: Manifest, own: Manifest) => Manifest} manifest made of the project's package.json and of the one in
 *   `folder`
 * @property {string} readme relative to the project
 */

/** Files and folders of the runtime. */
const RUNTIME = [
  'LICENSE',
  'app/errors.js',
  'app/errors',
  'app/options.js',
  'app/version.js',
  'app/limits',
  'app/process/memory-account.js',
  'app/process/process-tree.js',
  'app/native',
  'app/game',
  'app/engine',
  'app/pipe',
  'app/pool',
  'ksm/addon',
  'docs/pool.md',
  'docs/runtime.md',
];
/** Files of these folders that only the TV needs, and the sources of app/game/*.wasm. */
const TV_ONLY = /^app\/(engine\/ksm\.js|game\/(pitv|Makefile|.*\.[ch]))$/;

/** The command that compiles the addons where no prebuilt one fits. There is no install script. */
const BUILD_ADDON = { 'pitv-build-addon': 'ksm/addon/build.cjs' };

/** Takes some fields of an object. @param {Manifest} from @param {string[]} names @returns {Manifest} */
const pick = (from, names) => Object.fromEntries(names.map((name) => [name, from[name]]));
/** Takes the other fields of an object. @param {Manifest} from @param {string[]} names @returns {Manifest} */
const omit = (from, names) =>
  Object.fromEntries(Object.entries(from).filter(([name]) => !names.includes(name)));

/** @type {Readonly<Record<string, Package>>} */
export const PACKAGES = Object.freeze({
  pitv: {
    folder: '.',
    addons: ['pitv'],
    typed: true,
    readme: 'image/npm/README.md',
    files: async () => RUNTIME,
    manifest: (root) => ({
      ...pick(root, ['name', 'version', 'type', 'license', 'engines']),
      description: 'Runs CPU-bound JavaScript in threads, processes and forks of a warm process',
      keywords: 'worker pool thread process fork zygote shared-memory pipe'.split(' '),
      exports: { ...omit(root.exports, ['./ksm']), './package.json': './package.json' },
      bin: BUILD_ADDON,
      dependencies: pick(root.dependencies, ['node-api-headers', 'piscina']),
    }),
  },
  '@pitv/ksm': {
    folder: 'ksm',
    addons: ['ksm'],
    typed: true,
    readme: 'ksm/README.md',
    files: async () => ['.'],
    manifest: ({ version }, own) => ({ ...omit(own, ['files', 'scripts']), version }),
  },
  '@pitv/tv': {
    folder: '.',
    addons: ['pitv', 'ksm'],
    typed: false,
    readme: 'README.md',
    files: listFiles,
    // esbuild has made the pages already; its install script would be the only one.
    manifest: (root) => ({
      ...omit(root, ['private', 'files', 'devDependencies', 'optionalDependencies', 'scripts']),
      name: '@pitv/tv',
      exports: { './package.json': './package.json' },
      bin: { ...root.bin, ...BUILD_ADDON },
    }),
  },
});

const HELP = `Usage: node image/npm/pack.js [NAME ...]
  Makes these packages (all of ${Object.keys(PACKAGES).join(', ')} by default), and prints their sizes.`;

/**
 * Makes a package.
 * @param {string} name one of PACKAGES
 * @param {{out?: string, own?: boolean}} [options] own: puts in the addons of this machine only, as `make native` built
 *   them, instead of those of `make prebuilds`
 * @returns {Promise<{tarball: string, bytes: number, unpackedBytes: number}>} bytes: of the tarball
 */
export async function makePackage(name, { out = OUT, own = false } = {}) {
  const { folder, addons, typed, files, manifest, readme } = PACKAGES[name];
  const source = join(PROJECT, folder);
  const target = join(out, name);
  await rm(target, { recursive: true, force: true });
  for (const path of await files()) {
    await cp(join(source, path), join(target, path), {
      recursive: true,
      filter: (file) => name === '@pitv/tv' || !TV_ONLY.test(relative(PROJECT, file)),
    });
  }
  await cp(join(PROJECT, readme), join(target, 'README.md'));
  await unlinkMissing(target);
  for (const addon of addons) await copyAddon(addon, target, own);

  const root = JSON.parse(await readFile(join(PROJECT, 'package.json'), 'utf8'));
  const about = manifest(root, JSON.parse(await readFile(join(source, 'package.json'), 'utf8')));
  if (typed) await writeTypes(source, target, Object.values(about.exports));
  await writeFile(join(target, 'package.json'), `${JSON.stringify(about, null, 2)}\n`);

  const args = words`pack --json --ignore-scripts --pack-destination ${out}`;
  const [{ size, unpackedSize }] = JSON.parse(await run('npm', args, { cwd: target }));
  const file = `${name.replace('@', '').replace('/', '-')}-${about.version}.tgz`;
  return { tarball: join(out, file), bytes: size, unpackedBytes: unpackedSize };
}

/** Turns links to files that the package does not have into text. @param {string} target */
async function unlinkMissing(target) {
  for (const name of await readdir(target, { recursive: true })) {
    if (!name.endsWith('.md')) continue;
    const page = join(target, name);
    const text = await readFile(page, 'utf8');
    const linked = text.replace(
      /\[([^\]]+)\]\((?![a-z]+:|#)([^)#]+)[^)]*\)/g,
      (link, label, path) => (existsSync(join(page, '..', path)) ? link : label),
    );
    await writeFile(page, linked);
  }
}

/** Puts an addon into a package. @param {string} addon @param {string} target @param {boolean} own see makePackage() */
async function copyAddon(addon, target, own) {
  const built = join(PROJECT, 'build', process.arch, `${addon}.node`);
  if (own) return cp(built, join(target, prebuiltPath(addon)));
  const filter = async (/** @type {string} */ file) =>
    (await stat(file)).isDirectory() || basename(file).startsWith(`${addon}.`);
  return cp(PREBUILDS, join(target, 'prebuilds'), { recursive: true, filter });
}

/**
 * Writes the declarations of the exported modules, and of what they import, beside them, where TypeScript finds them.
 * @param {string} source @param {string} target @param {string[]} modules relative
 */
async function writeTypes(source, target, modules) {
  const config = `${target}.tsconfig.json`;
  const files = modules.filter((path) => path !== './package.json');
  const settings = {
    extends: join(PROJECT, 'tsconfig.json'),
    compilerOptions: {
      noEmit: false,
      declaration: true,
      emitDeclarationOnly: true,
      rootDir: source,
      outDir: target,
      typeRoots: [join(PROJECT, 'node_modules/@types')],
    },
    include: [],
    files: files.map((path) => join(source, path)),
  };
  await writeFile(config, JSON.stringify(settings));
  try {
    await run(join(PROJECT, 'node_modules/.bin/tsc'), ['--project', config]);
  } finally {
    await rm(config);
  }
}

await program(import.meta, HELP, {}, async (_, names) => {
  const unknown = names.find((name) => !PACKAGES[name]);
  if (unknown) throw usage(`There is no package ${unknown}.`);
  await mkdir(OUT, { recursive: true });
  for (const name of names.length > 0 ? names : Object.keys(PACKAGES)) {
    const { tarball, ...sizes } = await makePackage(name);
    const [packed, unpacked] = Object.values(sizes).map((bytes) => Math.ceil(bytes / 1000));
    console.log(`${relative(PROJECT, tarball)}: ${packed} kB, unpacked ${unpacked} kB`);
  }
});
