/** Fetches packages from npm's registry by the program npm. */
import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PitvError, firstSentenceOf } from '../errors.js';

const TIMEOUT_MS = 120_000;
const MAX_OUTPUT_BYTES = 1024 * 1024;
/** A name with an optional version, range or tag: neither a path nor a URL nor an option of npm. */
const SPEC = /^(?:@[a-z0-9-][a-z0-9._-]*\/)?[a-z0-9][a-z0-9._-]*(?:@[\w.^~<>=*-]+)?$/;

/** Tells whether a text can name a package. @param {string} text */
export const isNpmSpec = (text) => SPEC.test(text);

/**
 * Fetches the archive of a package. Scripts of the package do not run.
 * @param {string} spec name[@version] @param {string} folder empty; for the archive
 * @returns {Promise<string>} path of the archive @throws {PitvError} PITV_PACKAGE_NPM
 */
export async function fetchFromNpm(spec, folder) {
  const flags = ['--ignore-scripts', '--loglevel=error', `--pack-destination=${folder}`];
  const limits = { timeout: TIMEOUT_MS, maxBuffer: MAX_OUTPUT_BYTES };
  try {
    const args = ['pack', ...flags, '--', spec];
    await promisify(execFile)('npm', args, { cwd: folder, ...limits });
  } catch (cause) {
    throw new PitvError('PITV_PACKAGE_NPM', sentenceOf(spec, cause), { cause });
  }
  const archives = (await readdir(folder)).filter((name) => name.endsWith('.tgz'));
  if (archives.length === 1) return join(folder, archives[0]);
  throw new PitvError('PITV_PACKAGE_NPM', `npm has not fetched one package for ${spec}.`);
}

/** @param {string} spec @param {any} error */
function sentenceOf(spec, error) {
  if (error.code === 'ENOENT') {
    return 'npm is not installed. Fetch the package on another machine (`npm pack`), then add the .tgz file.';
  }
  if (error.killed) return `npm has not fetched ${spec} within ${TIMEOUT_MS / 1000} s.`;
  const line = /^npm (?:error|ERR!) (?!code |errno )(.+)$/m.exec(String(error.stderr))?.[1];
  return `npm cannot fetch ${spec}: ${line ?? firstSentenceOf(error)}`;
}
