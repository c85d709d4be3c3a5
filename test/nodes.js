/**
 * Other Node.js versions, and a 32-bit Arm one under QEMU, for tests of what must be the same on all of them.
 * Each is installed on first use from test/nodes/package-lock.json into .cache/nodes. `make test` uses one of them.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { messageOf } from '../app/errors.js';
import { problemOf } from '../bench/harness/runtimes.js';
import { onlyLong } from './support/extent.js';
import { makeOnce } from './support/folders.js';

const CACHE = fileURLToPath(new URL('../.cache/nodes', import.meta.url));
const LOCK = new URL('nodes/package-lock.json', import.meta.url);
/** The one that `make test` uses, the newest. */
const REPRESENTATIVE = 'node-26';
/** Where Debian's armhf cross libraries are (libc6-, libstdc++6- and libatomic1-armhf-cross). */
const ARM_LIBRARIES = '/usr/arm-linux-gnueabihf';

/**
 * @typedef {object} OtherNode
 * @property {string} name for a test's title
 * @property {string[]} command to put before the arguments of node; empty when it is not here
 * @property {string | false} skip why it is not here
 */

/** @returns {OtherNode[]} always the same names, this Node first */
export function nodeVersions() {
  const lock = JSON.parse(readFileSync(LOCK, 'utf8'));
  const others = Object.keys(lock.packages[''].dependencies).map((alias) => {
    const { name, version } = lock.packages[`node_modules/${alias}`];
    const arch = name.replace('node-linux-', '');
    return { name: `Node ${version} ${arch}`, ...find(lock, alias, arch) };
  });
  const own = `this Node (${process.version} ${process.arch})`;
  return [{ name: own, command: [process.execPath], skip: false }, ...others];
}

/**
 * Finds a Node, installs it if needed, and tries it.
 * @param {any} lock @param {string} alias its name in the lock file @param {string} arch
 * @returns {Omit<OtherNode, 'name'>}
 */
function find(lock, alias, arch) {
  const missing = (/** @type {string} */ skip) => ({ command: [], skip });
  if (process.arch !== 'x64' || process.platform !== 'linux') return missing('needs Linux on x64');
  if (onlyLong && alias !== REPRESENTATIVE) return missing(onlyLong);
  const folder = join(CACHE, `${alias}-${lock.packages[`node_modules/${alias}`].version}`);
  try {
    install(lock, alias, folder);
  } catch (error) {
    return missing(messageOf(error));
  }
  const binary = join(folder, 'node_modules', alias, 'bin/node');
  const command = arch === 'x64' ? [binary] : ['qemu-arm-static', '-L', ARM_LIBRARIES, binary];
  const [program, ...args] = command;
  const problem = problemOf(program, ...args);
  return problem ? missing(problem) : { command, skip: false };
}

/**
 * Installs one package of the lock file.
 * @param {any} lock @param {string} alias @param {string} folder @throws {Error} why that failed
 */
function install(lock, alias, folder) {
  const key = `node_modules/${alias}`;
  const { name, dependencies } = lock.packages[''];
  const about = { name, dependencies: { [alias]: dependencies[alias] } };
  const packages = { '': about, [key]: lock.packages[key] };
  // --force: npm's package of the Arm build says that it is for another processor.
  const args = ['ci', '--force', '--ignore-scripts', '--no-audit', '--no-fund', '--silent'];
  makeOnce(folder, (cwd) => {
    writeFileSync(join(cwd, 'package.json'), JSON.stringify({ ...about, private: true }));
    writeFileSync(join(cwd, 'package-lock.json'), JSON.stringify({ ...lock, packages }));
    const { status, error, stderr } = spawnSync('npm', args, { cwd, encoding: 'utf8' });
    if (status === 0) return;
    const why = error?.message ?? stderr.trim().split('\n')[0];
    throw new Error(`npm could not install ${alias}: ${why}`);
  });
}
