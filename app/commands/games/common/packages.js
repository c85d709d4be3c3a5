/** What the subcommands that change installed games have in common. */
import { mkdtempSync, rmSync } from 'node:fs';
import { access, constants } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseSettings } from '../../../config/parse.js';
import { PitvError } from '../../../errors.js';
import { OWN_GAMES } from '../../../packages/catalog.js';
import { checkPackage } from '../../../packages/foreign-games.js';
import { GAMES, Packages } from '../../../packages/packages.js';
import { reasonOf } from '../../../storage/reason.js';
import { Store } from '../../../storage/store.js';
import { dataDirOf, notPermitted } from '../../common/data-dir.js';
import { printError } from '../../common/output.js';

const SIGNALS = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);

/**
 * Opens the data directory.
 * @param {Record<string, any>} values of the flags @param {{write: boolean}} how
 * @throws {PitvError} PITV_PACKAGE_NOT_KEPT
 */
export async function openPackages(values, { write }) {
  const dataDir = dataDirOf(values);
  const store = new Store(dataDir, { warn: (_about, text) => printError(`pitv: ${text}\n`) });
  const problem = write
    ? await store.open()
    : await access(join(dataDir, GAMES), constants.R_OK | constants.X_OK).then(
        () => undefined,
        (error) => (error.code === 'ENOENT' ? undefined : reasonOf(error)),
      );
  if (problem) {
    const what = write ? 'Nothing can be saved in' : 'The games cannot be read from';
    throw notPermitted('PITV_PACKAGE_NOT_KEPT', `${what} ${dataDir}`, problem);
  }
  return new Packages(store, OWN_GAMES);
}

/**
 * Checks a package as the TV does.
 * @param {import('../../../packages/packages.js').Staged} staged
 * @throws {PitvError} PITV_GAME_INVALID; PITV_LOCK_UNSUPPORTED
 */
export const check = (staged) => checkPackage(staged, parseSettings([]).untrustedGames);

/** Makes a temporary directory. @param {string} prefix of its name @throws {PitvError} PITV_FILE_UNWRITABLE */
export function makeTemporary(prefix) {
  try {
    return mkdtempSync(join(tmpdir(), prefix));
  } catch (cause) {
    const sentence = `No folder can be made in ${tmpdir()}: ${reasonOf(cause)}. Set TMPDIR to another place.`;
    throw new PitvError('PITV_FILE_UNWRITABLE', sentence, { cause });
  }
}

/**
 * Installs a game in a temporary directory, which is deleted afterwards.
 * @template T
 * @param {string} folder of the game @param {typeof check} checkGame
 * @param {(files: import('../../../packages/game-reader.js').GameFile & {id: string, folder: string},
 *   installed: import('../../../packages/packages.js').Installed) => Promise<T>} use
 * @throws {PitvError} PITV_PACKAGE_*, or what checkGame() and use() throw
 */
export async function withPackage(folder, checkGame, use) {
  let temporary = '';
  const remove = () => temporary && rmSync(temporary, { recursive: true, force: true });
  const end = (/** @type {NodeJS.Signals} */ signal) => {
    remove();
    process.kill(process.pid, signal);
  };
  for (const signal of SIGNALS) process.once(signal, end); // before there is something to remove
  try {
    temporary = makeTemporary('pitv-games-');
    const packages = new Packages(new Store(temporary), OWN_GAMES);
    const source = { kind: /** @type {const} */ ('folder'), from: resolve(folder) };
    const installed = await packages.install(source, { check: checkGame });
    const { id } = installed;
    const file = { path: packages.moduleOf(installed), id, folder: packages.folderOf(installed) };
    return await use(file, installed);
  } finally {
    remove();
    for (const signal of SIGNALS) process.removeListener(signal, end);
  }
}

/** Formats a size. @param {number} bytes */
export const sizeText = (bytes) =>
  bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
