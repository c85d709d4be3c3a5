/** `pitv help`: lists the commands. */
import { commandNames, dispatch, loadCommand } from './index.js';
import { alignColumns, print } from './common/output.js';

export const summary = 'list the commands; for the options of one, `pitv <command> --help`';

/** @param {string[]} argv */
export async function run(argv) {
  const words = argv.filter((word) => !word.startsWith('-') && word !== 'help');
  if (words.length > 0) return dispatch([...words, '--help']);
  const names = await commandNames();
  const rows = await Promise.all(
    names.map(async (each) => [`  ${each}`, (await loadCommand(each)).summary]),
  );
  print(`pitv turns a small computer into a TV game console.

Usage: pitv <command> [options]

${alignColumns(rows)}`);
  return 0;
}
