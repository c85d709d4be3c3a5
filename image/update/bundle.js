/**
 * `make bundle KEY=FOLDER`: packs the system of a card as an update: a signed bundle of RAUC, in its format verity, and
 * lists what is in it. The bundle has the files of the kernel and the root file system, not the settings and not the
 * data.
 */
import { copyFile, link, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { makeDirectory } from '../../app/storage/store.js';
import { readVersion } from '../../app/version.js';
import { BOARDS, systemName } from '../boards.js';
import { buildCard } from '../build.js';
import { choose, program, usage } from '../program.js';
import { sha256, writeContents } from '../publish.js';
import { PROJECT } from '../sd/app.js';
import { endOnSignals, run, words } from '../sd/shell.js';
import { openKey } from './key.js';

/** The boards whose cards have two systems. */
const UPDATABLE = Object.keys(BOARDS).filter((name) => BOARDS[name].uboot);

const HELP = `Usage: node image/update/bundle.js [${UPDATABLE.join('|')}] --key FOLDER [options]
  --key FOLDER    the folder of \`make update-key\`
  --kiosk         for cards with a browser
  --out DIR       where the bundle is written (default image/out)
  --development   accept a development key`;

const OPTIONS = /** @type {const} */ ({
  key: { type: 'string' },
  kiosk: { type: 'boolean' },
  out: { type: 'string', default: join(PROJECT, 'image/out') },
  development: { type: 'boolean' },
});

/**
 * Makes a bundle.
 * @param {object} update
 * @param {string} update.system see systemName() in boards.js
 * @param {string} update.version
 * @param {Record<'boot' | 'root', string>} update.images boot: a FAT with kernel, initrd and device trees; root: a
 *   squashfs
 * @param {import('./key.js').UpdateKey} update.key
 * @param {string} update.file the bundle
 * @throws {PitvError} PITV_IMAGE_TOOL
 */
export async function makeBundle({ system, version, images, key, file }) {
  await makeDirectory(dirname(file), 0o777);
  const work = await mkdtemp(`${file}.`);
  try {
    const content = join(work, 'content');
    await mkdir(content);
    let manifest = `[update]\ncompatible=pitv-${system}\nversion=${version}\n\n[bundle]\nformat=verity\n`;
    for (const [slot, image] of Object.entries(images)) {
      const target = join(content, `${slot}.img`);
      // A link is impossible from another file system.
      await link(image, target).catch(() => copyFile(image, target));
      manifest += `\n[image.${slot}]\nfilename=${slot}.img\n`;
    }
    await writeFile(join(content, 'manifest.raucm'), manifest);
    const draft = join(work, 'bundle');
    // RAUC checks the bundle as a card does (root/etc/rauc/system.conf).
    const conf = join(work, 'system.conf');
    const revoked = (await readFile(key.keyring, 'utf8')).includes('X509 CRL');
    const rules = `path=${key.keyring}\ncheck-purpose=codesign\ncheck-crl=${revoked}\n`;
    await writeFile(conf, `[system]\ncompatible=x\nbootloader=noop\n\n[keyring]\n${rules}`);
    const keys = words`--conf ${conf} --cert ${key.cert} --key ${key.key} --intermediate ${key.chain}`;
    await run('rauc', ['bundle', ...keys, content, draft]);
    await rename(draft, file);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/**
 * Makes the bundle of a card.
 * @param {Record<'root' | 'card', {folder: string}>} built layers of buildCard()
 * @param {{system: string, out: string, key: import('./key.js').UpdateKey}} options
 * @returns {Promise<{file: string, version: string}>} file: the bundle. Beside it is SYSTEM.json, in which a card looks
 *   for a newer version
 */
export async function bundleCard({ root, card }, { system, out, key }) {
  const project = readVersion();
  const version = (await readFile(join(root.folder, 'version'), 'utf8')).trim();
  const images = { boot: join(card.folder, 'slot.img'), root: join(root.folder, 'root.squashfs') };
  const file = join(out, `pitv-${project}-${system}.raucb`);
  await rm(file, { force: true });
  await makeBundle({ system, version, images, key, file });
  const list = join(out, `${system}.json`);
  await writeFile(`${list}.new`, `${JSON.stringify({ version, file: basename(file) })}\n`);
  await rename(`${list}.new`, list);
  return { file, version };
}

await program(import.meta, HELP, OPTIONS, async (values, names) => {
  endOnSignals();
  const board = BOARDS[choose(names, UPDATABLE, 'armhf')];
  const { development, kiosk } = values;
  const out = resolve(values.out);
  const key = await openKey(values.key, { development, signs: true });
  if (!key) throw usage('Name the folder of the key with --key.');
  const built = await buildCard(board, { keyring: key.keyring, kiosk });
  const system = systemName(board.name, { kiosk });
  const { file, version } = await bundleCard(built, { system, out, key });
  const about = { name: basename(file), version, sha256: await sha256(file) };
  await writeContents(board, built, about, (ending) => file + ending);
  console.log(file);
});
