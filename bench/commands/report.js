import { toHtml } from '../html/page.js';
import { markdownAnswers } from '../paper-table.js';
import { readResults, writeAtomically } from './common/files.js';
import { usage } from './common/usage.js';

export const help = `pitv bench report A.json -o report.html
    the page that --html writes, from a file that --json wrote; into a file that ends in .md, the
    paper's table as Markdown
`;

export const options = /** @type {const} */ ({ output: { type: 'string', short: 'o' } });

/** @param {{output?: string}} values @param {string[]} files */
export async function run({ output }, files) {
  if (files.length !== 1) throw usage('Name one file that `--json` wrote.');
  if (output === undefined) throw usage('Say where the page goes: -o report.html.');
  const results = readResults(files[0]);
  writeAtomically(output, output.endsWith('.md') ? markdownAnswers(results) : toHtml(results));
  return 0;
}
