/**
 * Packs the sources for BitBake, whose npm fetchers are disabled: the project's package, its production
 * dependencies without binaries, their licences, and the files of the system, in one archive. The same commit and the
 * same npm packages give the same bytes.
 *
 *   node image/yocto/dist.js [--out FOLDER] [--url URL]
 *
 * writes pitv-VERSION.tar.xz, pitv-VERSION.licenses.json and pitv-source.inc, which tells the recipes the version, the
 * archive and its checksum, and prints the archive's name and SHA-256. VERSION has the commit in it.
 *
 * --url also writes meta-pitv-VERSION.tar.xz: the layer for builds without this project. It fetches the archive from
 * the folder URL and checks its SHA-256. Publish both files.
 */
import { cp, mkdir, mkdtemp, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { readVersion } from '../../app/version.js';
import { program } from '../program.js';
import { sha256 as hashOf } from '../publish.js';
import { PROJECT, lastCommit, makeModules, packApp } from '../sd/app.js';
import { SLOT_PARTITIONS, formatPartitionTable } from '../sd/card.js';
import { run, words } from '../sd/shell.js';
import { ubootVariables } from '../update/slots.js';

const OUT = join(PROJECT, 'image/out/yocto');
const LAYER = join(PROJECT, 'image/yocto/meta-pitv');
const HELP = `Usage: node image/yocto/dist.js [--out FOLDER] [--url URL]
  --out FOLDER  where the archive is written (default image/out/yocto)
  --url URL     also packs the layer, which fetches the archive from this folder`;
const OPTIONS = /** @type {const} */ ({ out: { type: 'string' }, url: { type: 'string' } });
/** The archive contains no binaries, so it is the same for every board. */
const ANY_BOARD = { cpu: 'arm', omit: ['optional'] };
const LICENSE_FILE = /^(licen[sc]e|copying|notice)([.-].*)?$/i;

/**
 * @typedef {object} Licensed an npm package in the archive
 * @property {string} name
 * @property {string} version
 * @property {string} license SPDX expression
 * @property {string[]} files its licence texts, relative to the archive's root
 */

/**
 * Lists the npm packages and their licences.
 * @param {string} app folder with node_modules and package-lock.json
 * @returns {Promise<Licensed[]>} sorted by path
 * @throws {Error} if a package is missing or has no licence
 */
async function listLicenses(app) {
  const lock = JSON.parse(await readFile(join(app, 'package-lock.json'), 'utf8'));
  /** @type {Licensed[]} */
  const list = [];
  for (const [path, entry] of Object.entries(lock.packages)) {
    if (path === '' || entry.dev || entry.optional || entry.devOptional) continue;
    const { name, version, license } = JSON.parse(
      await readFile(join(app, path, 'package.json'), 'utf8'),
    );
    if (typeof license !== 'string') throw new Error(`${path}: no SPDX licence in package.json`);
    const files = (await readdir(join(app, path)))
      .filter((file) => LICENSE_FILE.test(file))
      .map((file) => `${path}/${file}`);
    list.push({ name, version, license, files });
  }
  return list;
}

/**
 * Makes the archive.
 * @param {{out?: string, url?: string, level?: number}} [options] url: the folder from which a released layer fetches
 *   the archive; level: of the compression, 0..9
 * @returns {Promise<{version: string, archive: string, licenses: string, sha256: string, layer?: string}>}
 *   version: with the commit, the recipes' PV; paths of the archive, of the list of npm packages and of the packed
 *   layer; sha256: of the archive
 */
export async function makeDist({ out = OUT, url, level = 9 } = {}) {
  const commit = await lastCommit();
  const version = sourceVersion(readVersion(), commit);
  const timeS = Number(process.env.SOURCE_DATE_EPOCH) || commit.timeS;
  const label = `pitv-${version}`;
  const work = await mkdtemp(join(tmpdir(), 'pitv-dist-'));
  try {
    const app = join(work, label);
    const modules = join(work, 'modules');
    await Promise.all([mkdir(app), mkdir(modules)]);
    await makeModules(ANY_BOARD, modules);
    await packApp(modules, app);
    for (const folder of ['image/common', 'image/kiosk'])
      await cp(join(PROJECT, folder), join(app, folder), { recursive: true });
    await packUpdate(join(app, 'image/update'));
    const licenses = `${JSON.stringify(await listLicenses(app), null, 2)}\n`;
    await writeFile(join(app, 'licenses.json'), licenses);
    await mkdir(out, { recursive: true });
    const archive = join(out, `${label}.tar.xz`);
    await pack(archive, work, label, timeS, level);
    const manifest = join(out, `${label}.licenses.json`);
    await writeFile(manifest, licenses);
    const sha256 = await hashOf(archive);
    const local = sourceSettings(version, `file://${label}.tar.xz`, sha256);
    await writeFile(join(out, 'pitv-source.inc'), local);
    const dist = { version, archive, licenses: manifest, sha256 };
    if (url === undefined) return dist;
    const at = new URL(`${label}.tar.xz`, url.endsWith('/') ? url : `${url}/`).href;
    await cp(LAYER, join(work, 'meta-pitv'), { recursive: true });
    const settings = join(work, 'meta-pitv/recipes-pitv/pitv/pitv-source.inc');
    await writeFile(settings, sourceSettings(version, at, sha256));
    const layer = join(out, `meta-${label}.tar.xz`);
    await pack(layer, work, 'meta-pitv', timeS, level);
    return { ...dist, layer };
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/**
 * Copies what a card with two systems needs, and writes down what the Debian card's programs know of it.
 * @param {string} to
 */
export async function packUpdate(to) {
  for (const folder of ['boot', 'root'])
    await cp(join(PROJECT, 'image/update', folder), join(to, folder), { recursive: true });
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
  const draft = join(dirname(archive), `.${name}.${process.pid}`);
  // One thread, because the output depends on the number of threads.
  const compress = `--use-compress-program=xz --threads=1 -${level}`;
  const same = words`--sort=name --format=gnu --owner=0 --group=0 --numeric-owner --mode=u+rwX,go=rX
    --mtime=@${timeS}`;
  try {
    await run(
      'tar',
      words`--create --file ${draft} ${compress} ${same} --directory ${parent} ${name}`,
    );
    await rename(draft, archive);
  } finally {
    await rm(draft, { force: true });
  }
}

/**
 * Returns the text of pitv-source.inc.
 * @param {string} version @param {string} uri of the archive, for SRC_URI @param {string} sha256
 */
const sourceSettings = (version, uri, sha256) => `# Written by image/yocto/dist.js.
PV = "${version}"
PITV_ARCHIVE = "${uri}"
PITV_ARCHIVE_SHA256 = "${sha256}"
`;

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

await program(import.meta, HELP, OPTIONS, async ({ out, url }) => {
  const { archive, sha256, layer } = await makeDist({ out, url });
  console.log(`${archive}\nsha256 ${sha256}${layer ? `\n${layer}` : ''}`);
});
