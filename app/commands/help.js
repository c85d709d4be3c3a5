/** `pitv help`: lists the commands. */
import { commandNames, loadCommand } from './index.js';
import { print } from './common/output.js';

export const summary = 'list the commands; for the options of one, `pitv <command> --help`';

/** @param {string[]} argv */
export async function run(argv) {
  const [name] = argv.filter((word) => !word.startsWith('-'));
  const names = await commandNames();
  if (name && name !== 'help' && names.includes(name)) {
    return (await loadCommand(name)).run(['--help']);
  }
  const width = Math.max(...names.map((each) => each.length));
  const lines = await Promise.all(
    names.map(async (each) => {
      const { summary } = await loadCommand(each);
      return `  ${each.padEnd(width)}  ${summary}`;
    }),
  );
  print(
    [
      'pitv turns a small computer into a TV game console.',
      '',
      'Usage: pitv <command> [options]',
      '',
      ...lines,
      '',
    ].join('\n'),
  );
  return 0;
}
