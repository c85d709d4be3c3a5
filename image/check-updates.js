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
import { readSuites, withApt } from './sd/apt.js';
import { PROJECT } from './sd/app.js';
import { endOnSignals, run } from './sd/shell.js';

const BACKPORTS = join(PROJECT, 'image/debian/backports.sh');

/**
 * @typedef {{name: string, version: string, source?: string}} Package
 *
 * @typedef {object} Card
 * @property {string} card its name
 * @property {string} arch @property {string} release of Debian
 * @property {Package[]} packages of Debian
 * @property {string[]} others what is not Debian's
 */

/** Reads a bill of materials. @param {string} text SPDX 2.3, of `make image` or `make bundle` @returns {Card} */
function parseBill(text) {
  const bill = JSON.parse(text);
  /** @type {Card} */
  const card = { card: String(bill?.name), arch: '', release: '', packages: [], others: [] };
  let npm = 0;
  for (const { name, versionInfo: version, externalRefs = [] } of bill?.packages ?? []) {
    const purls = externalRefs.map((/** @type {any} */ each) => String(each.referenceLocator));
    const deb = purls.find((/** @type {string} */ purl) => purl.startsWith('pkg:deb/debian/'));
    if (deb) {
      const about = new URLSearchParams(deb.slice(deb.indexOf('?')));
      card.release = about.get('distro') ?? '';
      if (about.get('arch') !== 'all') card.arch = about.get('arch') ?? '';
      card.packages.push({ name, version, source: about.get('upstream') ?? name });
    } else if (purls[0]?.startsWith('pkg:npm/')) npm++;
    else if (purls.length > 0) card.others.push(`${name} ${version}`);
  }
  if (!card.arch) throw new Error('it names no package of Debian');
  if (npm > 0) card.others.push(`${npm} npm packages`);
  return card;
}

/** Parses a list of packages (`Packages`). @param {string} text @returns {Package[]} */
const parseList = (text) =>
  text.split(/\n{2,}/).flatMap((entry) => {
    const field = (/** @type {string} */ name) =>
      new RegExp(`^${name}: (\\S+)`, 'm').exec(entry)?.[1];
    const [name, version] = [field('Package'), field('Version')];
    return name && version ? [{ name, version }] : [];
  });

/** Prints the lines "name installed newer" whose second version is newer. */
const NEWER = `while read -r name installed newer; do
  if dpkg --compare-versions "$installed" lt "$newer"; then echo "$name $newer"; fi
done`;

/**
 * Finds the packages with newer versions. The name of a kernel's package has its version, so it is compared with the
 * package that depends on the newest kernel.
 * @param {Package[]} packages of a card @param {Package[]} list
 */
async function findUpdates(packages, list) {
  const lines = packages.flatMap(({ name, version }) => {
    const [, kernel] = /^linux-image-\d[^-]*-(.*?)(?:-unsigned)?$/.exec(name) ?? [];
    const listed = list.filter((each) => each.name === (kernel ? `linux-image-${kernel}` : name));
    return listed.map((each) => `${name} ${version} ${each.version}\n`);
  });
  const output = await run('sh', ['-c', NEWER], { input: lines.join('') });
  const newer = new Map(
    output.split('\n').map((line) => /** @type {[string, string]} */ (line.split(' '))),
  );
  return packages.flatMap((each) => {
    const fixed = newer.get(each.name);
    return fixed === undefined ? [] : [{ ...each, fixed }];
  });
}

/**
 * Fetches the list of Debian's security suite, and the kernels of the backports if the card has one of them.
 * @param {Card} card
 * @returns {Promise<{list: Package[], date?: string}>} date: of the security suite's list, YYYY-MM-DD
 */
async function fetchList({ arch, release, packages }) {
  const suite = `${release}-security`;
  const env = { PITV_IMAGE_SUITE: release, PITV_IMAGE_SECURITY: '' };
  const read = async (/** @type {string} */ at) => {
    const date = (await readSuites([{ folder: at }])).find((each) => each.suite === suite)?.date;
    if (packages.some(({ version }) => version.includes('~bpo')))
      await run(BACKPORTS, [at], { env });
    await run('sed', ['-i', '/-security \\|-backports /!d', join(at, 'sources.list')]);
    const available = { env: { APT_CONFIG: join(at, 'apt.conf') } };
    const list = parseList(await run('apt-cache', ['dumpavail'], available));
    const isKernel = (/** @type {string} */ name) => name.startsWith('linux-image-');
    const others = list.filter(({ name, version }) => isKernel(name) || !version.includes('~bpo'));
    return { list: others, date };
  };
  return withApt(`check-${arch}`, arch, read, env);
}

/**
 * Checks the card of a bill of materials.
 * @param {string} file the bill
 * @param {string} [packages] a file with the package list; by default it is fetched
 * @throws {PitvError} PITV_IMAGE_BILL, PITV_IMAGE_TOOL
 */
async function checkBill(file, packages) {
  const refuse = (/** @type {unknown} */ cause) => {
    const sentence = `${file} is not the bill of materials of a card: ${messageOf(cause)}. Name the .spdx.json that make image wrote.`;
    throw new PitvError('PITV_IMAGE_BILL', sentence, { cause });
  };
  const card = await readFile(file, 'utf8').then(parseBill).catch(refuse);
  const suite = `${card.release}-security`;
  const what = packages ? `reading ${packages}` : `fetching the list of ${suite} for ${card.arch}`;
  console.error(`check-updates: ${what}`);
  const { list, date } = packages
    ? { list: parseList(await readFile(packages, 'utf8')), date: undefined }
    : await fetchList(card);
  const updates = await findUpdates(card.packages, list);
  const checked = card.packages.length;
  return { card: card.card, suite, date, checked, updates, others: card.others };
}

/** Formats the result for people. @param {Awaited<ReturnType<typeof checkBill>>} result */
function format({ card, suite, date, checked, updates, others }) {
  const newer = `${updates.length} of ${checked} packages have a newer version in ${suite}`;
  const lines = [`${card}: ${newer}${date ? ` of ${date}` : ''}.`];
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

await program(import.meta, HELP, OPTIONS, async (values, [name = 'armhf', ...more]) => {
  endOnSignals();
  if (more.length > 0) throw usage('Name one card only.');
  const { kiosk, packages, json } = values;
  const ownFile = `pitv-${readVersion()}-${systemName(name, { kiosk })}.spdx.json`;
  const file = Object.hasOwn(BOARDS, name) ? join(PROJECT, 'image/out', ownFile) : resolve(name);
  const result = await checkBill(file, packages);
  console.log(json ? JSON.stringify(result, null, 2) : format(result));
});
