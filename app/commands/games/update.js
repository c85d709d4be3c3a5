import { PitvError, messageOf } from '../../errors.js';
import { DATA_DIR, DATA_DIR_HELP } from '../common/data-dir.js';
import { check, openPackages } from './common/packages.js';
import { indentLines } from '../../errors/visible-text.js';
import { print, printError } from '../common/output.js';

export const help = `Usage: pitv games update [id] [options]

Installs a game, or all games, again from where they came: npm, a .tgz file or a folder. With all games, those that were
uploaded to the admin page, and those that came with pitv, are left out.

${DATA_DIR_HELP}`;
export const options = DATA_DIR;
export const operands = /** @type {[number, number]} */ ([0, 1]);

/** @param {Record<string, any>} values @param {string[]} operands */
export async function run(values, [id]) {
  const packages = await openPackages(values, { write: true });
  if (id !== undefined) {
    print(await update(packages, await packages.get(id)));
    return 0;
  }
  let failures = 0;
  for (const installed of await packages.list()) {
    if (installed.source.from === undefined) continue;
    try {
      print(await update(packages, installed));
    } catch (error) {
      if (!(error instanceof PitvError)) throw error;
      failures++;
      printError(`pitv: ${installed.id}: ${indentLines(messageOf(error))}\n`);
    }
  }
  return failures > 0 ? 1 : 0;
}

/** @typedef {import('../../packages/packages.js').Installed} Installed */
/** @typedef {import('../../packages/packages.js').Packages} Packages */

/** @param {Packages} packages @param {Installed} installed @returns {Promise<string>} a line */
async function update(packages, { id, version, hash, source }) {
  if (source.from === undefined) {
    const why =
      source.kind === 'bundled'
        ? 'came with pitv and is updated with it'
        : 'was uploaded to the admin page. Upload its new version there, or use pitv games add';
    throw new PitvError('PITV_PACKAGE_SOURCE', `${id} ${why}.`);
  }
  const updated = await packages.install(source, { check, only: id, unless: hash });
  return updated.hash === hash
    ? `${id} ${version} is up to date.\n`
    : `Updated ${id} from ${version} to ${updated.version}.\n`;
}
