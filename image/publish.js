/** Writes a card's files to publish. */
import { cp, readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { makeDirectory } from '../app/storage/store.js';
import { readVersion } from '../app/version.js';
import { systemName } from './boards.js';
import { readSuites, release } from './sd/apt.js';
import { PROJECT, listAppPackages, nodeVersion } from './sd/app.js';
import { createBill, createImagerManifest, parsePackages } from './sd/materials.js';
import { run } from './sd/shell.js';

const ICON = join(PROJECT, 'app/web/lib/icon.svg');

/** @typedef {Awaited<ReturnType<typeof import('./build.js').buildCard>>} Built */

/** Returns a file's SHA-256. @param {string} file @returns {Promise<string>} hex */
export const sha256 = async (file) => (await run('sha256sum', [file])).slice(0, 64);

/** Returns the address of a file in a folder. @param {string} folder URL @param {string} file */
export const addressIn = (folder, file) => new URL(file, folder.replace(/\/?$/, '/')).href;

/** Returns the size and the SHA-256 of a file. @param {string} file */
export const measure = async (file) => ({
  bytes: (await stat(file)).size,
  sha256: await sha256(file),
});

/**
 * Writes what a file contains that has the system of a card: a plain list, and a bill of materials (SPDX).
 * @param {import('./boards.js').Board} board
 * @param {Pick<Built, 'userland' | 'kernel' | 'app' | 'epochS'>} built
 * @param {{name: string, version: string, sha256: string}} file
 * @param {(ending: string) => string} at paths of the lists
 */
export async function writeContents({ nodePackage }, { userland, kernel, app, epochS }, file, at) {
  const lists = [userland, kernel].map(({ folder }) =>
    readFile(join(folder, 'packages.tsv'), 'utf8'),
  );
  const debian = parsePackages((await Promise.all(lists)).join(''));
  const npm = await listAppPackages(app.folder);
  const node = nodePackage && (await nodeVersion(nodePackage));
  const listing = [
    ...debian.map((each) => `${each.name} ${each.version}`),
    ...npm.map((each) => `npm:${each.name} ${each.version}`),
    ...(node ? [`node ${node}`] : []),
  ];
  await writeFile(at('.packages.txt'), `${listing.join('\n')}\n`);
  const suites = await readSuites([userland, kernel]);
  const bill = createBill({ ...file, epochS, suite: release()[0], suites, debian, npm, node });
  await writeFile(at('.spdx.json'), `${JSON.stringify(bill, null, 1)}\n`);
}

/**
 * Writes the files to publish: the compressed card, checksums, lists and manifest.
 * @param {import('./boards.js').Board} board
 * @param {string} out
 * @param {Built} built
 * @param {(line: string) => void} log
 */
export async function publish(board, out, built, log) {
  const { root, epochS, file, kiosk } = built;
  const version = readVersion();
  const name = `pitv-${version}-${systemName(board.name, { kiosk })}`;
  const draft = join(out, `.${name}.${process.pid}`);
  await rm(draft, { recursive: true, force: true });
  await makeDirectory(draft, 0o777);
  const started = performance.now();
  try {
    const at = (/** @type {string} */ ending) => join(draft, `${name}${ending}`);
    await run('cp', ['--sparse=always', file, at('.img')]);
    // Of the card itself: the copy has more holes, see copyInto().
    await run('bmaptool', ['create', '-o', at('.bmap'), file]);
    const extracted = await measure(at('.img'));
    // Most of the card is already compressed: -2 takes twice as long and saves 0.3 %.
    await run('xz', ['-T0', '-0', at('.img')]);
    const download = await measure(at('.img.xz'));
    await writeFile(at('.img.xz.sha256'), `${download.sha256}  ${name}.img.xz\n`);

    const card = { name: `${name}.img`, version, sha256: extracted.sha256 };
    await writeContents(board, built, card, at);
    const base = process.env.PITV_IMAGE_URL ?? pathToFileURL(`${out}/`).href;
    const url = (/** @type {string} */ file) => addressIn(base, file);
    await cp(ICON, join(draft, 'pitv.svg'));
    const manifest = createImagerManifest({
      board,
      version,
      epochS,
      urls: { download: url(`${name}.img.xz`), bmap: url(`${name}.bmap`), icon: url('pitv.svg') },
      extracted,
      download,
    });
    await writeFile(at('.rpi-imager-manifest'), `${JSON.stringify(manifest, null, 2)}\n`);
    for (const each of await readdir(draft)) await rename(join(draft, each), join(out, each));
    log(`published in ${((performance.now() - started) / 1000).toFixed(1)} s`);
    const { size } = await stat(join(root.folder, 'root.squashfs'));
    const [rootMb, fileMb] = [size, download.bytes].map((bytes) => (bytes / 1e6).toFixed(1));
    log(`root file system ${rootMb} MB, compressed card ${fileMb} MB`);
    console.log(join(out, `${name}.img.xz`));
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}
