/**
 * `make release`: builds the files of a release in one new folder, with release notes, checksums and a manifest.
 * `node image/release.js --help` lists the parts.
 */
import { existsSync } from 'node:fs';
import { readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { PitvError } from '../app/errors.js';
import { makeDirectory } from '../app/storage/store.js';
import { BOARDS, systemName } from './boards.js';
import { buildCard } from './build.js';
import { PACKAGES, makePackage } from './npm/pack.js';
import { program, usage } from './program.js';
import { measure, publish, sha256 } from './publish.js';
import { PROJECT } from './sd/app.js';
import { endOnSignals, run } from './sd/shell.js';
import { bundleCard } from './update/bundle.js';
import { openKey } from './update/key.js';

/** The cards that there are. */
const SYSTEMS = Object.values(BOARDS).flatMap(({ name, kiosk }) =>
  kiosk ? [name, systemName(name, { kiosk })] : [name],
);
const PARTS = ['npm', ...SYSTEMS];

/** What the files of a release are, by the ends of their names. The first that fits counts. */
const KINDS = Object.entries({
  '.tgz': 'npm package, with prebuilt addons',
  '.npm.spdx.json': 'bill of materials of the npm packages (SPDX 2.3)',
  '.spdx.json': 'bill of materials of the card (SPDX 2.3)',
  '.img.xz': 'SD card',
  '.img.xz.sha256': 'checksum of the SD card',
  '.bmap': 'map of the used blocks of the SD card, for bmaptool',
  '.packages.txt': 'packages on the card',
  '.rpi-imager-manifest': 'list for Raspberry Pi Imager',
  'pitv.svg': 'icon for Raspberry Pi Imager',
  '.raucb': 'signed update of a card',
  'NOTES.md': 'release notes',
  '.json': 'newest update, for cards that look for one',
});

const HELP = `Usage: node image/release.js [${PARTS.join('|')} ...] [options]
  Builds these parts of a release; all by default.
  --key DIR      the folder of \`make update-key\`: cards that can be updated accept updates of this key, and have one
  --out DIR      the new folder (default image/out/release-VERSION)`;
const OPTIONS = /** @type {const} */ ({ key: { type: 'string' }, out: { type: 'string' } });

/** @param {string} sentence */
const refusal = (sentence) => new PitvError('PITV_IMAGE_RELEASE', sentence);

/**
 * Reads the release notes of a version.
 * @param {string} changelog text in the format of Keep a Changelog @param {string} version
 * @returns {string}
 * @throws {PitvError} PITV_IMAGE_RELEASE
 */
function releaseNotes(changelog, version) {
  const section = changelog.split(/^(?=## )/m).find((each) => each.startsWith(`## [${version}]`));
  const [, text = ''] = /^.*\n([^]*)$/.exec(section ?? '') ?? [];
  if (text.trim() === '')
    throw refusal(`CHANGELOG.md says nothing under "## [${version}]". Describe the version there.`);
  return `${text.trim()}\n`;
}

/**
 * Checks that a project can be released: it names one version everywhere, and is as committed.
 * @param {string} [project]
 * @returns {Promise<{version: string, commit: string, notes: string}>}
 * @throws {PitvError} PITV_IMAGE_RELEASE
 */
export async function checkProject(project = PROJECT) {
  const read = (/** @type {string} */ file) => readFile(join(project, file), 'utf8');
  const git = (/** @type {string[]} */ ...args) => run('git', args, { cwd: project });
  const { version } = JSON.parse(await read('package.json'));
  const distro = 'image/yocto/meta-pitv/conf/distro/pitv-os.conf';
  /** @type {Record<string, string | undefined>} version by place */
  const named = {
    'package-lock.json': JSON.parse(await read('package-lock.json')).version,
    'ksm/package.json': JSON.parse(await read('ksm/package.json')).version,
    [distro]: /^DISTRO_VERSION = "(.*)"$/m.exec(await read(distro))?.[1],
  };
  for (const recipe of (await git('ls-files', '*_[0-9]*.bb')).trim().split('\n'))
    if (recipe) named[recipe] = /_([\d.]+)\.bb$/.exec(recipe)?.[1];
  for (const [place, other] of Object.entries(named))
    if (other !== version)
      throw refusal(`${place} has version ${other}, and package.json ${version}.`);
  const notes = releaseNotes(await read('CHANGELOG.md'), version);
  const changes = await git('status', '--porcelain');
  if (changes) throw refusal(`Commit or remove these changes, then release again:\n${changes}`);
  return { version, commit: (await git('rev-parse', 'HEAD')).trim(), notes };
}

/**
 * Writes manifest.json, which says what each file of a folder is, and SHA256SUMS.
 * @param {string} folder @param {{version: string, commit: string}} release
 * @throws {PitvError} PITV_IMAGE_RELEASE if a file is of no known kind
 */
export async function writeManifest(folder, { version, commit }) {
  const files = [];
  for (const file of (await readdir(folder)).sort()) {
    const what = KINDS.find(([ending]) => file.endsWith(ending))?.[1];
    if (!what) throw refusal(`${join(folder, file)} is no file of a release.`);
    files.push({ file, ...(await measure(join(folder, file))), what });
  }
  const manifest = join(folder, 'manifest.json');
  const text = JSON.stringify({ name: 'pitv', version, commit, files }, null, 2);
  await writeFile(manifest, `${text}\n`);
  const sums = [...files, { file: basename(manifest), sha256: await sha256(manifest) }];
  const lines = sums.map((each) => `${each.sha256}  ${each.file}\n`);
  await writeFile(join(folder, 'SHA256SUMS'), lines.join(''));
}

/** Makes the npm packages and their bill of materials. @param {string} out @param {string} version */
async function buildPackages(out, version) {
  await run('make', ['-s', '-C', join(PROJECT, 'image/npm'), 'prebuilds']);
  const work = join(out, 'npm');
  for (const name of Object.keys(PACKAGES)) {
    const { tarball } = await makePackage(name, { out: work });
    await rename(tarball, join(out, basename(tarball)));
  }
  await rm(work, { recursive: true });
  const args = ['sbom', '--package-lock-only', '--omit=dev', '--sbom-format=spdx'];
  const bill = await run('npm', args, { cwd: PROJECT });
  await writeFile(join(out, `pitv-${version}.npm.spdx.json`), bill);
}

/**
 * Builds a card, and its update.
 * @param {string} system of SYSTEMS @param {string} out @param {import('./update/key.js').UpdateKey} [updateKey]
 */
async function buildSystem(system, out, updateKey) {
  const board = BOARDS[system.split('-')[0]];
  const kiosk = system !== board.name;
  const key = board.uboot && updateKey;
  const built = await buildCard(board, { kiosk, keyring: key?.keyring });
  await publish(board, out, built, (line) => console.log(`${system}: ${line}`));
  if (key) await bundleCard(built, { system, out, key });
}

await program(import.meta, HELP, OPTIONS, async (values, names) => {
  endOnSignals();
  const unknown = names.find((name) => !PARTS.includes(name));
  if (unknown) throw usage(`There is no part ${unknown}.`);
  const key = await openKey(values.key, { signs: true });
  const release = await checkProject();
  const out = resolve(values.out ?? join(PROJECT, `image/out/release-${release.version}`));
  if (existsSync(out)) throw usage(`${out} exists. Remove it, or name another folder with --out.`);
  await makeDirectory(out, 0o777);
  try {
    for (const part of names.length > 0 ? names : PARTS)
      await (part === 'npm' ? buildPackages(out, release.version) : buildSystem(part, out, key));
    await writeFile(join(out, 'NOTES.md'), release.notes);
    await writeManifest(out, release);
  } catch (error) {
    await rm(out, { recursive: true });
    throw error;
  }
  console.log(out);
});
