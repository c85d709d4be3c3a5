/**
 * `make sbom-scan DB=FOLDER [BOARD=armhf]`: checks the bill of materials of a card for known vulnerabilities, without a
 * network. docs/card.md says how to get the databases.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BOARDS } from '../boards.js';
import { choose, program, usage } from '../program.js';
import { readBill } from './bill.js';
import { findInDebian } from './debian.js';
import { findInNpm } from './npm.js';

/** @typedef {import('./debian.js').Finding} Finding */

const OUT = fileURLToPath(new URL('../out', import.meta.url));

const HELP = `Usage: node image/sbom/scan.js --db FOLDER [${Object.keys(BOARDS).join('|')}] [options]
  --db FOLDER    the databases: a file of Debian's security tracker, named as the release, and the folder npm
  --sbom FILE    an .spdx.json (default: the board's in image/out)
  --only-fixed   list only vulnerabilities of which a corrected version exists

The exit status is 0 if nothing was found, 1 if something was, 2 if nothing could be checked.`;

const OPTIONS = /** @type {const} */ ({
  db: { type: 'string' },
  sbom: { type: 'string' },
  'only-fixed': { type: 'boolean' },
});

/**
 * Scans a bill of materials.
 * @param {string} file @param {string} database
 * @param {{onlyFixed?: boolean}} [options]
 * @returns {Promise<{bill: import('./bill.js').Bill, findings: Finding[], dates: Record<'debian' | 'npm', Date>}>}
 */
export async function scan(file, database, { onlyFixed = false } = {}) {
  const bill = await readBill(file);
  const [debian, npm] = await Promise.all([
    findInDebian(bill, database),
    findInNpm(bill, database),
  ]);
  const findings = [...debian.findings, ...npm.findings]
    .filter(({ fixed }) => fixed || !onlyFixed)
    .sort((a, b) => Number(b.fixed) - Number(a.fixed) || a.name.localeCompare(b.name));
  return { bill, findings, dates: { debian: debian.date, npm: npm.date } };
}

/** Returns the bill of the board's newest card. @param {string} board */
async function newestBill(board) {
  const files = await readdir(OUT).catch(() => []);
  const bill = files
    .filter((file) => file.endsWith(`-${board}.spdx.json`))
    .sort()
    .at(-1);
  if (bill === undefined) throw usage(`There is no card. Run \`make image BOARD=${board}\`.`);
  return join(OUT, bill);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await program(HELP, OPTIONS, async (values, names) => {
    const board = choose(names, Object.keys(BOARDS), 'armhf');
    if (!values.db) throw usage('Name the folder of the databases with --db.');
    const { bill, findings, dates } = await scan(
      values.sbom ?? (await newestBill(board)),
      values.db,
      { onlyFixed: values['only-fixed'] },
    );
    for (const { id, name, version, fixed, notes } of findings)
      console.log([id, `${name} ${version}`, fixed ? 'fixed' : 'not fixed', notes].join('\t'));
    const day = (/** @type {Date} */ date) => date.toISOString().slice(0, 10);
    console.log(
      `${bill.name}: ${findings.length} known vulnerabilities, ${findings.filter(({ fixed }) => fixed).length} of them with ` +
        `a corrected version. Checked: ${bill.debian.length} Debian packages (database of ${day(dates.debian)}), ` +
        `${bill.npm.length} npm packages (${day(dates.npm)}).`,
    );
    if (bill.others.length > 0) console.log(`Not checked: ${bill.others.join(', ')}.`);
    if (findings.length > 0) process.exitCode = 1;
  });
}
