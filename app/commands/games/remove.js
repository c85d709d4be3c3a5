import { DATA_DIR, DATA_DIR_HELP } from '../common/data-dir.js';
import { openPackages } from './common/packages.js';
import { print } from '../common/output.js';

export const help = `Usage: pitv games remove <id> [options]

Removes an installed game. Its matches play on until they end.

${DATA_DIR_HELP}`;
export const options = DATA_DIR;
export const operands = /** @type {[number, number]} */ ([1, 1]);

/** @param {Record<string, any>} values @param {string[]} operands */
export async function run(values, [id]) {
  const packages = await openPackages(values, { write: true });
  await packages.remove(id);
  print(`Removed ${id}.\n`);
}
