/** Installs Python tools for the layer from Python's package index into the project's .cache. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { hashOf, makeOnce } from '../../support/folders.js';
import { ROOT } from './files.js';

const REQUIREMENTS = fileURLToPath(new URL('requirements.txt', import.meta.url));

/**
 * Installs the tools on first use.
 * @returns {(tool: string, args: string[], env?: Record<string, string>) => {status: number | null, output: string}}
 *   runs python, or a tool in the same folder
 */
export function pythonTools() {
  const folder = join(ROOT, '.cache', `python-${hashOf(REQUIREMENTS)}`);
  makeOnce(folder, install);
  return (tool, args, env = {}) => {
    const result = spawnSync(join(folder, 'bin/python'), [...toolArgs(folder, tool), ...args], {
      cwd: ROOT,
      encoding: 'utf8',
      env: { ...process.env, ...env },
    });
    if (result.error) throw result.error;
    return { status: result.status, output: result.stdout + result.stderr };
  };
}

/**
 * Runs a tool's script with python, because its first line has the path from before the environment was moved.
 * @param {string} folder @param {string} tool
 */
const toolArgs = (folder, tool) => (tool === 'python' ? [] : [join(folder, 'bin', tool)]);

/** Installs the tools into a folder. @param {string} folder */
function install(folder) {
  runOrThrow('python3', ['-m', 'venv', folder]);
  const args = ['-m', 'pip', 'install', '--quiet', '--requirement', REQUIREMENTS];
  runOrThrow(join(folder, 'bin/python'), args);
}

/** Runs a program; throws if it fails. @param {string} program @param {string[]} args */
function runOrThrow(program, args) {
  const { status, error, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  if (error || status !== 0) throw new Error(`${program} ${args.join(' ')}: ${error ?? stderr}`);
}
