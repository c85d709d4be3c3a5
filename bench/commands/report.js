import { readFileSync } from 'node:fs';
import { messageOf } from '../../app/errors.js';
import { toHtml } from '../report/html/page.js';
import { fillIn, markdown } from '../report/paper-markdown.js';
import { readResults, writeAtomically } from './common/files.js';
import { usage } from './common/usage.js';

export const help = `pitv bench report A.json -o report.html
    writes the page of --html from a JSON file
pitv bench report A.json [B.json ...] -o table.md | --into FILE.md
    writes the paper's table as Markdown; parts of one run on the same machine are joined
    --into FILE.md    writes it between <!-- pitv bench: paper --> (or: paper, short) and <!-- end of pitv bench -->;
                      may be repeated
    --place NAME      fills the places <!-- pitv bench: paper, NAME --> instead
`;

export const options = /** @type {const} */ ({
  output: { type: 'string', short: 'o' },
  into: { type: 'string', multiple: true },
  place: { type: 'string' },
});

/** @param {{output?: string, into?: string[], place?: string}} values @param {string[]} files */
export async function run({ output, into = [], place }, files) {
  if (files.length === 0) throw usage('Name a file that `--json` wrote.');
  if (output === undefined && into.length === 0) {
    throw usage('Name the output file: -o report.html.');
  }
  const asMarkdown = output === undefined || output.endsWith('.md');
  if (!asMarkdown && files.length > 1) throw usage('A page can be made from one file only.');
  const results = files.map(readResults);
  const filled = into.map((file) => ({ file, text: withTable(file, results, place) }));
  if (output !== undefined) {
    writeAtomically(output, asMarkdown ? markdown(results) : toHtml(results[0]));
  }
  for (const { file, text } of filled) writeAtomically(file, text);
  return 0;
}

/** @param {string} file @param {import('../report/results.js').Results[]} results @param {string} [place] */
function withTable(file, results, place) {
  let text;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw usage(`${file} can't be read: ${messageOf(error)}.`);
  }
  const filled = fillIn(text, results, place);
  if (filled === undefined) throw usage(`${file} has no place for the table; see the help.`);
  return filled;
}
