/** Builds the C programs and addons of scenarios on demand with the machine's C compiler. */
import { spawnSync } from 'node:child_process';
import { accessSync, constants, mkdirSync, renameSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PitvError, messageOf } from '../../app/errors.js';

const BUILD = fileURLToPath(new URL('../../build', import.meta.url));
const PROGRAM_FLAGS = ['-O2', '-Wall', '-Wextra', '-D_GNU_SOURCE'];

/** @param {string} path @returns {number} time of the last change, ms since 1970; 0 if there is no such file */
const modified = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** Returns the build folder, or the temporary folder if the project is on a read-only file system. */
function writableFolder() {
  try {
    mkdirSync(BUILD, { recursive: true });
    accessSync(BUILD, constants.W_OK);
    return BUILD;
  } catch {
    return tmpdir();
  }
}

/**
 * Builds a program unless it is up to date.
 * @param {string} name of the program
 * @param {string} source path of the C file
 * @param {object} [options]
 * @param {string[]} [options.headers] paths of the used ones
 * @param {string} [options.compiler] @param {readonly string[]} [options.flags] by default those of a program
 * @param {boolean} [options.isLocal] the code is for this processor only, so it is not stored in the project, which may
 *   be used on another machine
 * @returns {string} path of the program
 * @throws {PitvError} PITV_BENCH_COMPILER
 */
export function compile(name, source, options = {}) {
  const { headers = [], flags = PROGRAM_FLAGS, isLocal = false } = options;
  const { compiler = process.env.CC ?? 'cc' } = options;
  const folders = isLocal ? [tmpdir()] : [BUILD, writableFolder()];
  const paths = folders.map((folder) => join(folder, `bench-${process.arch}-${name}`));
  const isCurrent = (/** @type {string} */ path) =>
    [source, ...headers].every((file) => modified(file) < modified(path));
  const current = paths.find(isCurrent);
  if (current) return current;
  const target = String(paths.at(-1));
  const output = `${target}.${process.pid}`;
  const args = [...flags, '-o', output, source, '-lm'];
  const result = spawnSync(compiler, args, { encoding: 'utf8' });
  if (result.status !== 0) {
    const problem = result.error ? messageOf(result.error) : result.stderr.trim();
    throw new PitvError('PITV_BENCH_COMPILER', `${name} could not be compiled: ${problem}`);
  }
  renameSync(output, target);
  return target;
}
