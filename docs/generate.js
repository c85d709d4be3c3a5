/**
 * Writes the generated parts of the documentation (`make docs`). With `--check` it writes nothing and exits
 * with 1 when a part is out of date.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { errors } from './parts/errors.js';
import { limits } from './parts/limits.js';
import { metrics } from './parts/metrics.js';
import { settings } from './parts/settings.js';

const PAGE = fileURLToPath(new URL('operations.md', import.meta.url));
/** Name of a part, in its start and end comments -> its text. */
const PARTS = { settings, limits, metrics, errors };

const before = await readFile(PAGE, 'utf8');
let page = before;
for (const [name, text] of Object.entries(PARTS)) {
  const pattern = new RegExp(`(<!-- ${name} -->\n)[^]*?(<!-- end of ${name} -->)`);
  if (!pattern.test(page)) throw new Error(`operations.md has no part "${name}"`);
  page = page.replace(pattern, (_, start, end) => `${start}\n${text()}\n\n${end}`);
}
if (page !== before) {
  if (process.argv.includes('--check')) {
    console.error('docs/operations.md is out of date. Run `make docs`.');
    process.exitCode = 1;
  } else await writeFile(PAGE, page);
}
