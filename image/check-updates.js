/**
 * `make check-updates`: lists the packages of a card that Debian's security suite has a newer version of. It reads the
 * card's bill of materials, so it needs neither the card nor its layers.
 */
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { PitvError, messageOf } from '../app/errors.js';
import { readVersion } from '../app/version.js';
import { BOARDS, systemName } from './boards.js';
import { program, usage } from './program.js';
import { SUITES, withApt } from './sd/apt.js';
import { PROJECT } from './sd/app.js';
import { endOnSignals, run } from './sd/shell.js';

/**
 * @typedef {object} Package
 * @property {string} name
 * @property {string} version
 * @property {string} source
 */

/**
 * Reads the Debian packages of a bill of materials.
 * @param {string} text SPDX 2.3, of `make image` or `make bundle`
 * @returns {{card: string, arch: string, release: string, packages: Package[], others: string[]}} others: not Debian's
 * @throws {PitvError} PITV_IMAGE_BILL
 */
export function readBill(text) {
  let bill;
  try {
    bill = JSON.parse(text);
  } catch (cause) {
    throw new PitvError('PITV_IMAGE_BILL', 'it is not JSON', { cause });
  }
  const card = { card: String(bill?.name), arch: '', release: '' };
  /** @type {Package[]} */
  const packages = [];
  /** @type {string[]} */
  const others = [];
  let npm = 0;
  for (const { name, versionInfo, externalRefs = [] } of bill?.packages ?? []) {
    const purls = externalRefs.map((/** @type {any} */ each) => String(each.referenceLocator));
    const deb = purls.find((/** @type {string} */ purl) => purl.startsWith('pkg:deb/debian/'));
    if (deb === undefined) {
      if (purls[0]?.startsWith('pkg:npm/')) npm++;
      else if (purls.length > 0) others.push(`${name} ${versionInfo}`);
      continue;
    }
    const about = new URLSearchParams(deb.slice(deb.indexOf('?')));
    card.release = about.get('distro') ?? '';
    if (about.get('arch') !== 'all') card.arch = about.get('arch') ?? '';
    packages.push({ name, version: versionInfo, source: about.get('upstream') ?? name });
  }
  if (!card.arch) throw new PitvError('PITV_IMAGE_BILL', 'it names no package of Debian');
  if (npm > 0) others.push(`${npm} npm packages`);
  return { ...card, packages, others };
}

/** Parses a list of packages (`Packages`). @param {string} text @returns {Package[]} */
export const parseList = (text) =>
  text.split(/\n{2,}/).flatMap((entry) => {
    const field = (/** @type {string} */ name) =>
      new RegExp(`^${name}: (\\S+)`, 'm').exec(entry)?.[1];
    const [name, version] = [field('Package'), field('Version')];
    return name && version ? [{ name, version, source: field('Source') ?? name }] : [];
  });

/** Returns the rank of a character in a version, deb-version(7). @param {string | undefined} character */
const rank = (character) => {
  if (character === undefined) return 0;
  if (character === '~') return -1;
  return character.charCodeAt(0) + (/[a-z]/i.test(character) ? 0 : 256);
};

/** Compares a part of two versions: texts and numbers by turns. @param {string} a @param {string} b */
function comparePart(a, b) {
  const [x, y] = [a, b].map((part) => [...part.matchAll(/(\D*)(\d*)/g)]);
  for (let i = 0; i < Math.max(x.length, y.length); i++) {
    const [[, text = '', digits = ''] = [], [, text2 = '', digits2 = ''] = []] = [x[i], y[i]];
    for (let j = 0; j < Math.max(text.length, text2.length); j++) {
      const difference = rank(text[j]) - rank(text2[j]);
      if (difference !== 0) return difference;
    }
    if (Number(digits) !== Number(digits2)) return Number(digits) - Number(digits2);
  }
  return 0;
}

/**
 * Compares two versions of Debian packages, as deb-version(7) describes.
 * @param {string} a @param {string} b @returns {number} negative if a is older
 */
export function compareVersions(a, b) {
  const partsOf = (/** @type {string} */ version) =>
    /^(?:(\d+):)?(.*?)(?:-([^-]*))?$/.exec(version)?.slice(1) ?? [];
  const [x, y] = [partsOf(a), partsOf(b)];
  return x.map((part = '', i) => comparePart(part, y[i] ?? '')).find((order) => order !== 0) ?? 0;
}

/**
 * Finds the packages with newer versions. The name of a kernel's package has its version, so it is compared with the
 * package that depends on the newest kernel.
 * @param {Package[]} packages of a card
 * @param {Package[]} list
 * @returns {(Package & {fixed: string})[]}
 */
export function findUpdates(packages, list) {
  /** @type {Map<string, string>} */
  const newest = new Map();
  for (const { name, version } of list)
    if (compareVersions(newest.get(name) ?? '', version) < 0) newest.set(name, version);
  return packages.flatMap((each) => {
    const kernel = /^linux-image-\d[^-]*-(.*?)(-unsigned)?$/.exec(each.name)?.[1];
    const fixed = newest.get(kernel === undefined ? each.name : `linux-image-${kernel}`);
    return fixed && compareVersions(each.version, fixed) < 0 ? [{ ...each, fixed }] : [];
  });
}

/**
 * Fetches the list of Debian's security suite.
 * @param {string} arch @param {string} release
 * @returns {Promise<{text: string, date: string}>} date: of the list, YYYY-MM-DD
 */
async function fetchList(arch, release) {
  let [text, date] = ['', ''];
  const suite = `${release}-security`;
  const read = async (/** @type {string} */ at) => {
    const env = { APT_CONFIG: join(at, 'apt.conf') };
    const format = ['--format', '$(REPO_URI) $(FILENAME)', 'Created-By: Packages'];
    const targets = (await run('apt-get', ['indextargets', ...format], { env })).split('\n');
    const files = targets
      .filter((line) => line.includes('security'))
      .map((line) => line.split(' ')[1]);
    text = await run('/usr/lib/apt/apt-helper', ['cat-file', ...files], { env });
    const suites = await readFile(join(at, SUITES), 'utf8');
    date =
      suites
        .split('\n')
        .find((line) => line.startsWith(suite))
        ?.split('\t')[1] ?? '';
  };
  await withApt(`check-${arch}`, arch, read, {
    PITV_IMAGE_SUITE: release,
    PITV_IMAGE_SECURITY: '',
  });
  return { text, date };
}

/**
 * Checks the card of a bill of materials.
 * @param {string} file the bill
 * @param {string} [list] a file with the package list; by default it is fetched
 * @throws {PitvError} PITV_IMAGE_BILL, PITV_IMAGE_TOOL
 */
export async function checkBill(file, list) {
  const refuse = (/** @type {unknown} */ cause) => {
    const sentence = `${file} is not the bill of materials of a card: ${messageOf(cause)}. Name the .spdx.json that make image wrote.`;
    throw new PitvError('PITV_IMAGE_BILL', sentence, { cause });
  };
  const { packages, arch, release, ...about } = await readFile(file, 'utf8')
    .then(readBill)
    .catch(refuse);
  const suite = `${release}-security`;
  console.error(
    `check-updates: ${list ? `reading ${list}` : `fetching the list of ${suite} for ${arch}`}`,
  );
  const { text, date } = list
    ? { text: await readFile(list, 'utf8'), date: '' }
    : await fetchList(arch, release);
  const updates = findUpdates(packages, parseList(text));
  return { ...about, suite, date, checked: packages.length, updates };
}

/** Formats the result for people. @param {Awaited<ReturnType<typeof checkBill>>} result */
function format({ card, suite, date, checked, updates, others }) {
  const newer = `${updates.length} of ${checked} packages have a newer version in ${suite}`;
  const lines = [`${card}: ${newer}${date && ` of ${date}`}.`];
  for (const { name, version, fixed, source } of updates)
    lines.push(`  ${name} ${version} -> ${fixed}${source === name ? '' : ` (${source})`}`);
  if (others.length > 0)
    lines.push(`Not checked, because they are not Debian's: ${others.join(', ')}.`);
  const today = new Date().toISOString().slice(0, 10);
  if (updates.length > 0)
    lines.push(`PITV_IMAGE_MONTH=${today} before "make image" or "make bundle" fetches them.`);
  return lines.join('\n');
}

const HELP = `Usage: node image/check-updates.js [${Object.keys(BOARDS).join('|')}|FILE] [options]
Lists the packages of a card that Debian's security suite has a newer version of.
  FILE             the .spdx.json of the card; of a board, the last one in image/out (default armhf)
  --kiosk          the board's card with a browser
  --packages FILE  a list of packages (Packages) that has been fetched before
  --json           print the result as JSON`;

const OPTIONS = /** @type {const} */ ({
  kiosk: { type: 'boolean' },
  packages: { type: 'string' },
  json: { type: 'boolean' },
});

await program(
  import.meta,
  HELP,
  OPTIONS,
  async ({ kiosk, packages, json }, [name = 'armhf', ...more]) => {
    endOnSignals();
    if (more.length > 0) throw usage('Name one card only.');
    const ownFile = `pitv-${readVersion()}-${systemName(name, { kiosk })}.spdx.json`;
    const file = Object.hasOwn(BOARDS, name) ? join(PROJECT, 'image/out', ownFile) : resolve(name);
    const result = await checkBill(file, packages);
    console.log(json ? JSON.stringify(result, null, 2) : format(result));
  },
);
