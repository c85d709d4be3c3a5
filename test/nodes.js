/**
 * Other Node.js versions, and a 32-bit Arm one under QEMU, for tests of what must be the same on
 * all of them. Installed on first use from test/nodes/package-lock.json into .cache/nodes-HASH.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const source = join(root, 'test/nodes');
const files = ['package.json', 'package-lock.json'];

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
  const here = process.arch === 'x64' && process.platform === 'linux';
  const installed = here ? install() : { folder: '', problem: `needs Linux on x64` };
  const lock = JSON.parse(readFileSync(join(source, 'package-lock.json'), 'utf8'));
  const others = Object.entries(lock.packages)
    .filter(([path]) => path !== '')
    .map(([path, { name, version }]) => {
      const arch = name.replace('node-linux-', '');
      const binary = join(installed.folder, path, 'bin/node');
      const command = arch === 'x64' ? [binary] : ['qemu-arm-static', '-L', ARM_LIBRARIES, binary];
      const problem = installed.problem || problemOf(command);
      return { name: `Node ${version} ${arch}`, command: problem ? [] : command, skip: problem };
    });
  return [
    {
      name: `this Node (${process.version} ${process.arch})`,
      command: [process.execPath],
      skip: false,
    },
    ...others.map((other) => ({ ...other, skip: other.skip || /** @type {false} */ (false) })),
  ];
}

/** @param {string[]} command @returns {string} empty when it runs */
function problemOf([program, ...args]) {
  const { error, status, stderr } = spawnSync(program, [...args, '--version'], {
    encoding: 'utf8',
  });
  if (error) return `does not start: ${error.message}`;
  return status === 0 ? '' : `does not run here: ${stderr.trim().split('\n')[0]}`;
}

/** @returns {{folder: string, problem: string}} */
function install() {
  const hash = createHash('sha256');
  for (const file of files) hash.update(readFileSync(join(source, file)));
  const folder = join(root, '.cache', `nodes-${hash.digest('hex').slice(0, 12)}`);
  if (existsSync(folder)) return { folder, problem: '' };
  // Into a folder of its own, then renamed: another test may do the same at this moment.
  const fresh = `${folder}.${process.pid}`;
  mkdirSync(fresh, { recursive: true });
  for (const file of files) cpSync(join(source, file), join(fresh, file));
  // --force: npm's package of the Arm build says it is for a processor that this is not.
  const args = ['ci', '--force', '--ignore-scripts', '--no-audit', '--no-fund', '--silent'];
  const result = spawnSync('npm', args, { cwd: fresh, encoding: 'utf8' });
  if (result.status !== 0) {
    rmSync(fresh, { recursive: true, force: true });
    const why = result.error?.message ?? result.stderr.trim().split('\n')[0];
    return { folder, problem: `npm could not install the other Nodes: ${why}` };
  }
  try {
    renameSync(fresh, folder);
  } catch {
    rmSync(fresh, { recursive: true, force: true }); // the other test was faster
  }
  for (const name of readdirSync(join(root, '.cache'))) {
    const old = /^nodes-[0-9a-f]{12}$/.test(name) && join(root, '.cache', name) !== folder;
    if (old) rmSync(join(root, '.cache', name), { recursive: true, force: true });
  }
  return { folder, problem: '' };
}
