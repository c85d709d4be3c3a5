import { SWITCH } from '../../config/flags.js';
import { DATA_DIR, DATA_DIR_HELP } from '../common/data-dir.js';
import { openPackages, sizeText } from './common/packages.js';
import { alignColumns, print } from '../common/output.js';

export const help = `Usage: pitv games list [options]

Lists the installed games: id, version, size, package and where it came from. The admin page also shows whether a
game can be loaded, and how its matches run.

  --json          print a JSON array instead
${DATA_DIR_HELP}`;
export const options = { ...DATA_DIR, json: SWITCH };
export const operands = /** @type {[number, number]} */ ([0, 0]);

/** @param {Record<string, any>} values */
export async function run(values) {
  const installed = await (await openPackages(values, { write: false })).list();
  if (values.json) {
    const shown = installed.map(({ folder: _folder, ...rest }) => rest);
    print(`${JSON.stringify(shown, undefined, 2)}\n`);
    return;
  }
  const rows = installed.map(({ id, version, bytes, name, source: { from, kind } }) => {
    return [id, version, sizeText(bytes), name, from ?? kind];
  });
  print(alignColumns(rows, [2]));
  if (rows.length === 0) print('No game is installed. See pitv games add --help.\n');
}
