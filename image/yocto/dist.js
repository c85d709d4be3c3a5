/**
 * Packs the app for BitBake, whose npm fetchers are disabled: the project's package, its production
 * dependencies without binaries, and their licences, in one archive. The same commit and the same npm
 * packages give the same bytes.
 *
 *   node image/yocto/dist.js [--out FOLDER]
 *
 * writes pitv-VERSION.tar.xz and pitv-VERSION.licenses.json, and prints the archive's name and SHA-256.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, mkdtemp, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { program } from '../program.js';
import { makeModules, packApp } from '../sd/app.js';
import { run } from '../sd/shell.js';

const PROJECT = fileURLToPath(new URL('../..', import.meta.url));
const OUT = fileURLToPath(new URL('../out/yocto', import.meta.url));
const HELP = 'Usage: node image/yocto/dist.js [--out FOLDER]   (default image/out/yocto)';
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
export async function listLicenses(app) {
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
 * @param {{project?: string, out?: string, epoch?: number, level?: number}} [options] epoch: time of the files,
 *   seconds; level: of the compression, 0..9
 * @returns {Promise<{archive: string, licenses: string, sha256: string}>}
 */
export async function makeDist({ project = PROJECT, out = OUT, epoch, level = 9 } = {}) {
  const { name, version } = JSON.parse(await readFile(join(project, 'package.json'), 'utf8'));
  const label = `${name}-${version}`;
  const work = await mkdtemp(join(tmpdir(), 'pitv-dist-'));
  try {
    const app = join(work, label);
    const modules = join(work, 'modules');
    await Promise.all([mkdir(app), mkdir(modules)]);
    await makeModules(project, ANY_BOARD, modules);
    await packApp(project, modules, app);
    const licenses = await listLicenses(app);
    const text = `${JSON.stringify(licenses, null, 2)}\n`;
    await writeFile(join(app, 'licenses.json'), text);
    await mkdir(out, { recursive: true });
    const archive = join(out, `${label}.tar.xz`);
    const draft = join(out, `.${label}.${process.pid}.tar`);
    try {
      await run('tar', [
        ...['--create', '--file', draft, '--directory', work, '--sort=name', '--format=gnu'],
        ...['--owner=0', '--group=0', '--numeric-owner', '--mode=u+rwX,go=rX'],
        ...[`--mtime=@${epoch ?? (await commitTime(project))}`, label],
      ]);
      // One thread, because the output depends on the number of threads.
      await run('xz', ['--threads=1', `-${level}`, '--force', draft]);
      await rename(`${draft}.xz`, archive);
    } finally {
      await Promise.all([rm(draft, { force: true }), rm(`${draft}.xz`, { force: true })]);
    }
    const manifest = join(out, `${label}.licenses.json`);
    await writeFile(manifest, text);
    const hash = createHash('sha256');
    await pipeline(createReadStream(archive), hash);
    return { archive, licenses: manifest, sha256: hash.digest('hex') };
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/** Returns the time of the last commit. @param {string} project @returns {Promise<number>} seconds */
async function commitTime(project) {
  const given = process.env.SOURCE_DATE_EPOCH;
  return Number(given ?? (await run('git', ['log', '-1', '--format=%ct'], { cwd: project })));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await program(HELP, /** @type {const} */ ({ out: { type: 'string' } }), async ({ out }) => {
    const { archive, sha256 } = await makeDist({ out });
    console.log(`${archive}\nsha256 ${sha256}`);
  });
}
