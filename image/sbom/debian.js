/** Finds known vulnerabilities of Debian packages with debsecan. */
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { usage } from '../program.js';
import { run } from '../sd/shell.js';

/** @typedef {import('./bill.js').Bill} Bill */

/**
 * @typedef {object} Finding
 * @property {string} id such as CVE-2025-1 or GHSA-...
 * @property {string} name of the package
 * @property {string} version
 * @property {boolean} fixed whether a corrected version has been published
 * @property {string} notes severity and the like
 */

/**
 * Returns the bill as dpkg's status file.
 * @param {Bill} bill
 */
const statusFile = ({ debian }) =>
  debian
    .map(({ name, version, source }) =>
      [
        `Package: ${name}`,
        'Status: install ok installed',
        `Version: ${version}`,
        // A rebuild without a change of the source (+b1) has the source's version.
        `Source: ${source} (${version.replace(/\+b\d+$/, '')})`,
      ].join('\n'),
    )
    .join('\n\n') + '\n';

/**
 * Finds vulnerabilities of a card's Debian packages.
 * @param {Bill} bill
 * @param {string} database folder with the security tracker's file of the release
 * @returns {Promise<{findings: Finding[], date: Date}>} date: of the file
 * @throws {PitvError} PITV_USAGE without the file, PITV_IMAGE_TOOL if debsecan cannot read it
 */
export async function findInDebian(bill, database) {
  const file = join(database, bill.suite);
  const about = await stat(file).catch((cause) => {
    throw usage(`The database has no file ${bill.suite} for debsecan.`, cause);
  });
  const work = await mkdtemp(join(tmpdir(), 'pitv-sbom-'));
  try {
    const status = join(work, 'status');
    await writeFile(status, statusFile(bill));
    const output = await run('debsecan', [
      '--source',
      pathToFileURL(database).href,
      '--suite',
      bill.suite,
      '--status',
      status,
      // Files that do not exist: settings of this machine do not apply to the card.
      '--config',
      join(work, 'config'),
      '--whitelist',
      join(work, 'whitelist'),
      '--format',
      'summary',
    ]);
    const versions = new Map(bill.debian.map(({ name, version }) => [name, version]));
    const findings = output
      .split('\n')
      .filter(Boolean)
      .map((line) => {
        const [, id, name, notes = ''] = /^(\S+) (\S+)(?: \((.*)\))?$/.exec(line) ?? [];
        const words = notes.split(', ').filter((word) => word !== '' && word !== 'obsolete');
        const fixed = words.includes('fixed');
        const version = versions.get(name) ?? '';
        return {
          id,
          name,
          version,
          fixed,
          notes: words.filter((word) => word !== 'fixed').join(', '),
        };
      });
    return { findings, date: about.mtime };
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}
