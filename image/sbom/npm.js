/** Finds known vulnerabilities of npm packages in records of the OSV database (https://ossf.github.io/osv-schema/). */
import { readFile, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { usage } from '../program.js';
import { compareVersions } from './versions.js';

/** @typedef {import('./bill.js').Bill} Bill */
/** @typedef {import('./debian.js').Finding} Finding */

/**
 * @typedef {object} Affected
 * @property {{ecosystem: string, name: string}} package
 * @property {{type: string, events: {introduced?: string, fixed?: string, last_affected?: string}[]}[]} [ranges]
 * @property {string[]} [versions]
 */

/**
 * Returns whether a version is affected, as OSV's schema evaluates its ranges.
 * @param {string} version
 * @param {Affected} affected
 */
export function isAffected(version, { ranges = [], versions = [] }) {
  if (versions.includes(version)) return true;
  return ranges.some(({ type, events }) => {
    if (type !== 'SEMVER' && type !== 'ECOSYSTEM') return false;
    // In the order of their versions: each event changes whether the versions from there on are affected.
    let affected = false;
    const sorted = events
      .map(({ introduced, fixed, last_affected: last }) => ({
        at: introduced ?? fixed ?? last ?? '0',
        starts: introduced !== undefined,
        inclusive: last === undefined,
      }))
      .sort((a, b) => compareVersions(a.at, b.at));
    for (const { at, starts, inclusive } of sorted) {
      const order = compareVersions(version, at);
      // OSV's first version, "0", is earlier than all pre-releases.
      if (at === '0' || order > 0 || (order === 0 && inclusive)) affected = starts;
    }
    return affected;
  });
}

/**
 * Finds vulnerabilities of a card's npm packages.
 * @param {Bill} bill
 * @param {string} database folder whose folder npm has OSV's records, a JSON file each
 * @returns {Promise<{findings: Finding[], date: Date}>} date: of the folder's last change
 * @throws {PitvError} PITV_USAGE without records
 */
export async function findInNpm(bill, database) {
  const folder = join(database, 'npm');
  const files = await readdir(folder).catch(() => []);
  const records = files.filter((file) => file.endsWith('.json')).sort();
  if (records.length === 0) throw usage('The database has no records in its folder npm.');
  /** @type {Finding[]} */
  const findings = [];
  for (const file of records) {
    const {
      id,
      withdrawn,
      summary = '',
      affected = [],
      database_specific: specific,
    } = JSON.parse(await readFile(join(folder, file), 'utf8'));
    if (withdrawn !== undefined) continue;
    for (const { name, version } of bill.npm) {
      const hits = /** @type {Affected[]} */ (affected).filter(
        (each) =>
          each.package?.ecosystem === 'npm' &&
          each.package.name === name &&
          isAffected(version, each),
      );
      if (hits.length === 0) continue;
      const fixed = hits.some(({ ranges = [] }) =>
        ranges.some(({ events }) => events.some((event) => event.fixed !== undefined)),
      );
      const severity = String(specific?.severity ?? '').toLowerCase();
      const notes = [severity && `${severity} severity`, summary].filter(Boolean).join(', ');
      findings.push({ id, name, version, fixed, notes });
    }
  }
  return { findings, date: (await stat(folder)).mtime };
}
