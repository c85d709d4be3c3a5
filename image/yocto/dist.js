/**
 * Packs the sources for BitBake, whose npm fetchers are disabled: the project's package, its production
 * dependencies without binaries, their licences, and the files of the system, in one archive. The same commit and the
 * same npm packages give the same bytes.
 */
import { cp, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readVersion } from '../../app/version.js';
import { program } from '../program.js';
import { addressIn, sha256 as hashOf } from '../publish.js';
import { PROJECT, lastCommit, listAppPackages, makeModules, packApp } from '../sd/app.js';
import { SLOT_PARTITIONS, formatPartitionTable } from '../sd/card.js';
import { run, words } from '../sd/shell.js';
import { ubootVariables } from '../update/slots.js';

const OUT = join(PROJECT, 'image/out/yocto');
const LAYER = join(PROJECT, 'image/yocto/meta-pitv');
const HELP = `Usage: node image/yocto/dist.js [--url URL]
  Writes pitv-VERSION.tar.xz into image/out/yocto, and pitv-source.inc, which tells the recipes the version, the
  archive and its checksum. VERSION has the commit in it.
  --url URL     also writes meta-pitv-VERSION.tar.xz: the layer for builds without this project. It fetches the archive
                from the folder URL and checks its SHA-256. Publish both files.`;
const OPTIONS = /** @type {const} */ ({ url: { type: 'string' } });
/** The archive contains no binaries, so it is the same for every board. */
const ANY_BOARD = { cpu: 'arm', omit: ['optional'] };
const LICENSE_FILE = /^(licen[sc]e|copying|notice)([.-].*)?$/i;

/**
 * Describes the npm packages of the archive: their licences, and the paths of the texts.
 * @param {string} app folder with node_modules and package-lock.json
 * @throws {Error} if a package has no licence
 */
async function listLicenses(app) {
  const list = [];
  for (const { path, ...about } of await listAppPackages(app)) {
    if (about.license === '') throw new Error(`${path}: no SPDX licence in package.json`);
    const files = (await readdir(join(app, path))).filter((file) => LICENSE_FILE.test(file));
    list.push({ ...about, files: files.map((file) => `${path}/${file}`) });
  }
  return list;
}

/**
 * Makes the archive.
 * @param {{out?: string, url?: string, level?: number}} [options] url: the folder from which a released layer fetches
 *   the archive; level: of the compression, 0..9
 * @returns {Promise<{version: string, archive: string, sha256: string, layer?: string}>} version: with the commit, the
 *   recipes' PV; paths of the archive and of the packed layer; sha256: of the archive
 */
export async function makeDist({ out = OUT, url, level = 9 } = {}) {
  const commit = await lastCommit();
  const version = sourceVersion(readVersion(), commit);
  const timeS = Number(process.env.SOURCE_DATE_EPOCH) || commit.timeS;
  const label = `pitv-${version}`;
  const archive = join(out, `${label}.tar.xz`);
  await mkdir(out, { recursive: true });
  // On the same file system, so that only whole archives get their names.
  const work = await mkdtemp(join(out, '.dist-'));
  try {
    await makeApp(join(work, label), join(work, 'modules'));
    await pack(archive, work, label, timeS, level);
    const sha256 = await hashOf(archive);
    const settingsFor = (/** @type {string} */ uri) => `# Written by image/yocto/dist.js.
PV = "${version}"
PITV_ARCHIVE = "${uri}"
PITV_ARCHIVE_SHA256 = "${sha256}"
`;
    await writeFile(join(out, 'pitv-source.inc'), settingsFor(`file://${label}.tar.xz`));
    if (url === undefined) return { version, archive, sha256 };
    const folder = join(work, 'meta-pitv');
    await cp(LAYER, folder, { recursive: true });
    await cp(join(PROJECT, 'LICENSE'), join(folder, 'LICENSE'));
    const settings = join(folder, 'recipes-pitv/pitv/pitv-source.inc');
    await writeFile(settings, settingsFor(addressIn(url, `${label}.tar.xz`)));
    const layer = join(out, `meta-${label}.tar.xz`);
    await pack(layer, work, 'meta-pitv', timeS, level);
    return { version, archive, sha256, layer };
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Makes what the archive contains. @param {string} app a new folder @param {string} modules likewise, for npm */
async function makeApp(app, modules) {
  await Promise.all([mkdir(app), mkdir(modules)]);
  await makeModules(ANY_BOARD, modules);
  await packApp(modules, app);
  for (const folder of ['image/common', 'image/kiosk'])
    await cp(join(PROJECT, folder), join(app, folder), { recursive: true });
  await packUpdate(join(app, 'image/update'));
  const licenses = JSON.stringify(await listLicenses(app), null, 2);
  await writeFile(join(app, 'licenses.json'), `${licenses}\n`);
}

/**
 * Copies what a card with two systems needs, and writes down what the Debian card's programs know of it.
 * @param {string} to
 */
export async function packUpdate(to) {
  for (const name of ['boot', 'root', 'install.sh'])
    await cp(join(PROJECT, 'image/update', name), join(to, name), { recursive: true });
  for (const cpu of ['arm', 'arm64'])
    await writeFile(join(to, 'boot', `uboot-${cpu}.txt`), await ubootVariables(cpu));
  await writeFile(join(to, 'boot/card.sfdisk'), formatPartitionTable(SLOT_PARTITIONS));
}

/**
 * Packs a folder; the same files give the same bytes.
 * @param {string} archive the .tar.xz to make @param {string} parent @param {string} name of the folder in it
 * @param {number} timeS of the files @param {number} level
 */
async function pack(archive, parent, name, timeS, level) {
  const draft = join(parent, 'draft');
  // One thread, because the output depends on the number of threads.
  const compress = `--use-compress-program=xz --threads=1 -${level}`;
  const same = words`--sort=name --format=gnu --owner=0 --group=0 --numeric-owner --mode=u+rwX,go=rX
    --mtime=@${timeS}`;
  const what = words`--create --file ${draft} ${compress} ${same} --directory ${parent} ${name}`;
  await run('tar', what);
  await rename(draft, archive);
}

/**
 * Returns the version of the sources: a later commit's is higher, so that a board's package manager updates to it.
 * @param {string} release of package.json
 * @param {import('../sd/app.js').Commit} commit
 */
export function sourceVersion(release, { timeS, id, changed }) {
  if (id === '') return release;
  const time = new Date(timeS * 1000).toISOString().replace(/\D/g, '').slice(0, 14);
  return `${release}+git${time}.${id}${changed ? '.changed' : ''}`;
}

await program(import.meta, HELP, OPTIONS, async ({ url }) => {
  const { archive, sha256, layer } = await makeDist({ url });
  console.log(`${archive}\nsha256 ${sha256}${layer ? `\n${layer}` : ''}`);
});
