import { toHtml } from '../report/html/page.js';
import { readResults, writeAtomically } from './common/files.js';
import { usage } from './common/usage.js';

export const help = `pitv bench report A.json -o report.html
    writes the page of --html from a JSON file
`;

export const options = /** @type {const} */ ({ output: { type: 'string', short: 'o' } });

/** @param {{output?: string}} values @param {string[]} files */
export async function run({ output }, files) {
  if (files.length !== 1) throw usage('Name one file that `--json` wrote.');
  if (output === undefined) throw usage('Name the output file: -o report.html.');
  writeAtomically(output, toHtml(readResults(files[0])));
  return 0;
}
