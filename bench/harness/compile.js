/** Builds the C programs of scenarios on demand with the machine's C compiler. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, renameSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { PitvError } from '../../app/errors.js';

const BUILD = fileURLToPath(new URL('../../build/', import.meta.url));

/** @param {string} path @returns {number} time of the last change, ms since 1970; 0 if there is no such file */
const modified = (path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/**
 * Builds a program unless it is up to date.
 * @param {string} name of the program
 * @param {string} source path of the C file
 * @param {{include?: string, headers?: string[]}} [options] include: folder of headers; headers: paths of the used ones
 * @returns {string} path of the program
 * @throws {PitvError} PITV_BENCH_COMPILER
 */
export function compile(name, source, { include, headers = [] } = {}) {
  const target = `${BUILD}bench-${name}-${process.arch}`;
  if ([source, ...headers].every((file) => modified(file) < modified(target))) return target;
  mkdirSync(BUILD, { recursive: true });
  const output = `${target}.${process.pid}`;
  const folders = include === undefined ? [] : ['-I', include];
  const args = ['-O2', '-Wall', '-Wextra', '-D_GNU_SOURCE', ...folders, '-o', output, source];
  const result = spawnSync(process.env.CC ?? 'cc', args, { encoding: 'utf8' });
  if (result.status !== 0) {
    const problem = result.error?.message ?? result.stderr.trim();
    throw new PitvError('PITV_BENCH_COMPILER', `${name} could not be compiled: ${problem}`);
  }
  renameSync(output, target);
  return target;
}
