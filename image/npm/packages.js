/**
 * The npm packages that are made of this project: `pitv`, the worker runtime; `@pitv/ksm`; and `@pitv/tv`, the console.
 * Each takes files of the project without changes, so what is read here is what runs there.
 */
import { listFiles } from '../sd/app.js';

/** @typedef {Record<string, any>} Manifest a package.json */

/**
 * @typedef {object} Package
 * @property {string} folder of the project that becomes the root of the package
 * @property {string[]} addons
 * @property {boolean} typed whether it has declarations of types
 * @property {(project: string) => Promise<string[]>} files files and folders, relative to `folder`
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
/** Files of these folders that only the TV needs, and the sources of app/game/kernel.wasm. */
export const TV_ONLY = /^app\/(engine\/ksm\.js|game\/(pitv|Makefile|.*\.[ch]))$/;

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
    manifest: (root) => ({
      ...omit(root, ['private', 'files', 'devDependencies', 'scripts']),
      name: '@pitv/tv',
      exports: { './package.json': './package.json' },
      bin: { ...root.bin, ...BUILD_ADDON },
    }),
  },
});
