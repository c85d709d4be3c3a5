/**
 * `make bundle BOARD=armhf KEY=FOLDER`: packs the system of a card as an update: a signed bundle of RAUC, in its format
 * verity. The bundle has the files of the kernel and the root file system, not the settings and not the data.
 */
import { copyFile, link, mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PitvError } from '../../app/errors.js';
import { BOARDS } from '../boards.js';
import { buildCard } from '../build.js';
import { choose, program, usage } from '../program.js';
import { endOnSignals, run } from '../sd/shell.js';
import { compatibleWith } from './check.js';
import { isDevelopmentKey, keyIn } from './key.js';

const HERE = dirname(fileURLToPath(import.meta.url));

const HELP = `Usage: node image/update/bundle.js [${Object.keys(BOARDS).join('|')}] --key FOLDER [options]
  --key FOLDER    the folder of \`make update-key\`
  --out DIR       where the bundle is written (default image/out)
  --development   accept a development key`;

const OPTIONS = /** @type {const} */ ({
  key: { type: 'string' },
  out: { type: 'string', default: join(HERE, '../out') },
  development: { type: 'boolean' },
});

/**
 * Makes a bundle.
 * @param {object} update
 * @param {string} update.board
 * @param {string} update.version
 * @param {Record<'boot' | 'root', string>} update.images boot: a tar of kernel, initrd and device trees; root: a squashfs
 * @param {import('./key.js').UpdateKey} update.key
 * @param {string} update.file the bundle
 * @param {boolean} [update.development] whether a development key is accepted
 * @throws {PitvError} PITV_UPDATE_KEY, PITV_IMAGE_TOOL
 */
export async function makeBundle({ board, version, images, key, file, development = false }) {
  if (!development && (await isDevelopmentKey(key)))
    throw new PitvError(
      'PITV_UPDATE_KEY',
      'The key is for development, and a release needs another one. Run `make update-key`.',
    );
  await mkdir(dirname(file), { recursive: true });
  const work = await mkdtemp(`${file}.`);
  try {
    const content = join(work, 'content');
    await mkdir(content);
    const sections = [];
    for (const [slot, image] of Object.entries(images)) {
      const name = `${slot}${slot === 'boot' ? '.tar' : '.img'}`;
      const target = join(content, name);
      // A link is impossible from another file system.
      await link(image, target).catch(() => copyFile(image, target));
      sections.push(`[image.${slot}]\nfilename=${name}\n`);
    }
    const manifest = [
      `[update]\ncompatible=${compatibleWith(board)}\nversion=${version}\n`,
      '[bundle]\nformat=verity\n',
      ...sections,
    ];
    await writeFile(join(content, 'manifest.raucm'), manifest.join('\n'));
    const draft = join(work, 'bundle');
    await run('rauc', [
      ...['bundle', '--keyring', key.cert, '--signing-keyring', key.cert],
      ...['--cert', key.cert, '--key', key.key, content, draft],
    ]);
    await rename(draft, file);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

/**
 * Makes the bundle of a card.
 * @param {{kernel: {folder: string}, root: {folder: string}, epochS: number}} card of buildCard()
 * @param {{board: string, out: string, key: import('./key.js').UpdateKey, development?: boolean}} options
 * @returns {Promise<string>} path of the bundle
 */
export async function bundleCard({ kernel, root, epochS }, { board, out, key, development }) {
  const { version } = JSON.parse(await readFile(join(HERE, '../../package.json'), 'utf8'));
  const work = await mkdtemp(join(out, '.bundle-'));
  try {
    const boot = join(work, 'boot.tar');
    await run('tar', [
      ...['--create', '--file', boot, '--directory', join(kernel.folder, 'boot'), '--sort=name'],
      ...['--format=gnu', '--owner=0', '--group=0', '--numeric-owner', '--mode=u+rwX,go=rX'],
      ...[`--mtime=@${epochS}`, '.'],
    ]);
    const images = { boot, root: join(root.folder, 'root.squashfs') };
    const file = join(out, `pitv-${version}-${board}.raucb`);
    await rm(file, { force: true });
    await makeBundle({ board, version, images, key, file, development });
    return file;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  endOnSignals();
  await program(HELP, OPTIONS, async (values, names) => {
    const board = BOARDS[choose(names, Object.keys(BOARDS), 'armhf')];
    if (!values.key) throw usage('Name the folder of the key with --key.');
    const out = resolve(values.out);
    await mkdir(out, { recursive: true });
    const { development } = values;
    const key = keyIn(values.key);
    const card = await buildCard(board);
    console.log(await bundleCard(card, { board: board.name, out, key, development }));
  });
}
