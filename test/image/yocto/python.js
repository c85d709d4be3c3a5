/** Python's tools for the layer, from its package index, in .cache of the project. */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const REQUIREMENTS = fileURLToPath(new URL('requirements.txt', import.meta.url));

/**
 * Installs them on first use.
 * @returns {(tool: string, args: string[], env?: Record<string, string>) => {status: number | null, output: string}}
 *   runs python, or a tool that lies beside it
 */
export function pythonTools() {
  const hash = createHash('sha256').update(readFileSync(REQUIREMENTS)).digest('hex').slice(0, 12);
  const folder = join(ROOT, '.cache', `python-${hash}`);
  if (!existsSync(folder)) install(folder);
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

/** A moved environment's scripts name the python of their old place: they are given to the new one. @param {string} folder @param {string} tool */
const toolArgs = (folder, tool) => (tool === 'python' ? [] : [join(folder, 'bin', tool)]);

/** @param {string} folder */
function install(folder) {
  const fresh = `${folder}.${process.pid}`;
  rmSync(fresh, { recursive: true, force: true });
  mkdirSync(join(ROOT, '.cache'), { recursive: true });
  must('python3', ['-m', 'venv', fresh]);
  must(join(fresh, 'bin/python'), [
    '-m',
    'pip',
    'install',
    '--quiet',
    '--requirement',
    REQUIREMENTS,
  ]);
  try {
    renameSync(fresh, folder);
  } catch {
    rmSync(fresh, { recursive: true, force: true }); // somebody else was faster
  }
}

/** @param {string} program @param {string[]} args */
function must(program, args) {
  const { status, error, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  if (error || status !== 0) throw new Error(`${program} ${args.join(' ')}: ${error ?? stderr}`);
}
