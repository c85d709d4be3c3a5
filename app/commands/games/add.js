import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { PitvError } from '../../errors.js';
import { isNpmSpec } from '../../packages/npm.js';
import { DATA_DIR, DATA_DIR_HELP } from '../common/data-dir.js';
import { check, openPackages, sizeText } from './common/packages.js';
import { print } from '../common/output.js';

export const help = `Usage: pitv games add <name[@version] | file.tgz | folder> [options]

Installs the package of a game, or replaces its installed version. Names are fetched by npm; scripts of the package
never run. A folder is copied. Matches of a replaced version play on with the version they began with.

${DATA_DIR_HELP}`;
export const options = DATA_DIR;
export const operands = /** @type {[number, number]} */ ([1, 1]);

/** @param {Record<string, any>} values @param {string[]} operands */
export async function run(values, [given]) {
  const source = await findSource(given);
  const packages = await openPackages(values, { write: true });
  const { id, name, version, files, bytes } = await packages.install(source, { check });
  print(`Installed ${id} (${name} ${version}, ${files} files, ${sizeText(bytes)}).\n`);
}

/**
 * Finds out what an argument names. An existing path is a path.
 * @param {string} given @returns {Promise<import('../../packages/packages.js').Source>}
 * @throws {PitvError} PITV_USAGE
 */
async function findSource(given) {
  const about = await stat(given).catch(() => undefined);
  if (about?.isDirectory()) return { kind: 'folder', from: resolve(given) };
  if (about?.isFile()) return { kind: 'file', from: resolve(given) };
  if (isNpmSpec(given) && !/\.(tgz|tar|gz)$/.test(given)) return { kind: 'npm', from: given };
  const sentence = `There is no file, folder or npm package ${given.slice(0, 200)}.`;
  throw new PitvError('PITV_USAGE', sentence);
}
