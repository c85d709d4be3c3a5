/**
 * Writes the generated parts of the documentation (`make docs`). With `--check` it writes nothing and exits
 * with 1 when a part is out of date.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { reference } from './parts/games.js';
import { errors, limits, metrics, settings } from './parts/operations.js';

/**
 * Name of a part, in its start and end comments -> its text; by page.
 * @type {Record<string, Record<string, () => string>>}
 */
const PAGES = {
  'operations.md': { settings, limits, metrics, errors },
  'games.md': { reference },
};

for (const [name, parts] of Object.entries(PAGES)) {
  const path = fileURLToPath(new URL(name, import.meta.url));
  const before = await readFile(path, 'utf8');
  let page = before;
  for (const [part, text] of Object.entries(parts)) {
    const pattern = new RegExp(`(<!-- ${part} -->\n)[^]*?(<!-- end of ${part} -->)`);
    if (!pattern.test(page)) throw new Error(`${name} has no part "${part}"`);
    page = page.replace(pattern, (_, start, end) => `${start}\n${text()}\n\n${end}`);
  }
  if (page === before) continue;
  if (process.argv.includes('--check')) {
    console.error(`docs/${name} is out of date. Run \`make docs\`.`);
    process.exitCode = 1;
  } else await writeFile(path, page);
}
