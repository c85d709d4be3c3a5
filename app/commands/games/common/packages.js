/** What the subcommands that change installed games have in common. */
import { access, constants } from 'node:fs/promises';
import { join } from 'node:path';
import { TEXT, variableName } from '../../../config/flags.js';
import { parseSettings } from '../../../config/parse.js';
import { PitvError } from '../../../errors.js';
import { OWN_GAMES } from '../../../packages/catalog.js';
import { checkPackage } from '../../../packages/check-package.js';
import { GAMES, Packages } from '../../../packages/packages.js';
import { reasonOf } from '../../../storage/reason.js';
import { Store } from '../../../storage/store.js';

export const DATA_DIR = Object.freeze({ 'data-dir': TEXT });
export const DATA_DIR_HELP = `  --data-dir DIR  data directory of the TV; default as for pitv serve, environment ${variableName('dataDir')}
`;

/**
 * Opens the data directory.
 * @param {Record<string, any>} values of the flags
 * @param {{write: boolean}} how
 * @throws {PitvError} PITV_PACKAGE_NOT_KEPT
 */
export async function openPackages(values, { write }) {
  const given = values['data-dir'] === undefined ? [] : ['--data-dir', values['data-dir']];
  const { dataDir } = parseSettings(given);
  const store = new Store(dataDir);
  const problem = write
    ? await store.open()
    : await access(join(dataDir, GAMES), constants.R_OK | constants.X_OK).then(
        () => undefined,
        (error) => (error.code === 'ENOENT' ? undefined : reasonOf(error)),
      );
  if (problem) {
    const what = write ? 'Nothing can be saved in' : 'The games cannot be read from';
    const sentence = `${what} ${dataDir}: ${problem}. Run this command as the user that runs the TV.`;
    throw new PitvError('PITV_PACKAGE_NOT_KEPT', sentence);
  }
  return new Packages(store, OWN_GAMES);
}

/**
 * Checks a package as the TV does.
 * @param {import('../../../packages/packages.js').Staged} staged
 * @throws {PitvError} PITV_GAME_INVALID; PITV_LOCK_UNSUPPORTED
 */
export const check = (staged) => checkPackage(staged, parseSettings([]).untrustedGames);

/** Formats a size. @param {number} bytes */
export const sizeText = (bytes) =>
  bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;

/** Describes an installed package in a line. @param {import('../../../packages/packages.js').Installed} installed */
export const describe = ({ id, name, version, files, bytes }) =>
  `${id} (${name} ${version}, ${files} files, ${sizeText(bytes)})`;
