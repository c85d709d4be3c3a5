/**
 * Builds a card: `make image`, or `node image/build.js --help`.
 * Layers (userland, kernel, dependencies, app, root, card) are cached by the hash of their inputs. Files
 * in image/out are written under a temporary name and renamed when they are complete.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { cp, mkdir, readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { PitvError, messageOf } from '../app/errors.js';
import { BOARDS } from './boards.js';
import { choose, program } from './program.js';
import { release, withApt } from './sd/apt.js';
import { listAppInputs, listAppPackages, makeApp, makeModules } from './sd/app.js';
import { KERNEL_COMMAND_LINE, NO_SELF_TESTS, firmwareConfig, makeCard } from './sd/card.js';
import { cacheRoot, layer, sweep, sweepDrafts } from './sd/layers.js';
import { createImagerManifest, createBill, parsePackages } from './sd/materials.js';
import { endOnSignals, run, runAsRoot } from './sd/shell.js';

const here = dirname(fileURLToPath(import.meta.url));
const project = dirname(here);
const debian = join(here, 'debian');

/**
 * Makes Raspberry Pi Imager write its settings as firstrun.sh, which every version can. The card reads that
 * script and never runs it (image/common: settings/firstrun.awk).
 */
const IMAGER_INIT_FORMAT = 'systemd';
/** 14 MB, so it is on cards for a fleet only. */
const FLEET_PACKAGE = 'nats-server';
const ICON = join(project, 'app/web/lib/icon.svg');

/** @param {string} line */
const log = (line) => console.log(`image: ${line}`);

/** Lists scripts as inputs of a layer. @param {...string} names files of image/debian */
const scripts = (...names) => names.map((name) => ({ file: join(debian, name) }));

/**
 * Builds the card of a board, unless it is in the cache.
 * @param {import('./boards.js').Board} board
 * @param {{untrimmed?: boolean, fleet?: boolean}} [options] untrimmed: Debian's packages unchanged
 *   (untrimmed.sh), for comparison; fleet: with the server of a fleet
 */
export async function buildCard(board, { untrimmed = false, fleet = false } = {}) {
  await mkdir(cacheRoot(), { recursive: true });
  await checkUsers();
  // Debian's packages are fetched again each month, and when the package lists change.
  const [suite, month] = release();
  const epochS = Number(process.env.SOURCE_DATE_EPOCH) || (await lastCommitS());
  const options = { log };
  /** @param {(apt: string) => Promise<unknown>} use */
  const withLists = (use) => withApt(board.name, board.name, use);

  const rootfs = untrimmed ? 'untrimmed' : 'rootfs';
  const more = untrimmed ? ['modules.txt', 'kernels.txt'] : [];
  const packages = fleet ? [FLEET_PACKAGE] : [];
  const userland = await layer(
    `${untrimmed ? 'untrimmed' : 'userland'}-${board.name}`,
    [suite, month, ...packages, ...scripts(`${rootfs}.sh`, 'apt.sh', 'packages.txt', ...more)],
    (folder) =>
      withLists((at) => run(join(debian, `${rootfs}.sh`), [board.name, at, folder, ...packages])),
    options,
  );
  const kernel = await layer(
    `kernel-${board.name}`,
    [suite, month, ...scripts('kernel.sh', 'apt.sh', 'kernels.txt', 'modules.txt', 'initrd')],
    (folder) => withLists((at) => run(join(debian, 'kernel.sh'), [board.name, at, folder])),
    options,
  );
  const modules = await layer(
    `modules-${board.name}`,
    [
      ...['package.json', 'package-lock.json'].map((name) => ({ file: join(project, name) })),
      { file: join(here, 'sd/app.js') },
      ...[board.cpu, ...board.omit],
    ],
    (folder) => makeModules(project, board, folder),
    options,
  );
  const app = await layer(
    `app-${board.name}`,
    [modules.key, board.cc, board.cflags, ...(await listAppInputs(project))],
    (folder) => makeApp(project, board, modules.folder, folder),
    options,
  );
  const common = join(here, 'common');
  const root = await layer(
    `root-${board.name}`,
    [userland.key, kernel.key, app.key, { file: common }, ...scripts('system.sh')],
    async (folder) => {
      const file = join(folder, 'root.squashfs');
      const settings = untrimmed ? join(folder, 'common') : common;
      if (untrimmed) {
        await cp(common, settings, { recursive: true });
        for (const list of ['masked.txt', 'later.txt']) await writeFile(join(settings, list), '');
      }
      const modules = untrimmed ? userland.folder : kernel.folder;
      const tar = join(userland.folder, 'rootfs.tar');
      const parts = [board.name, tar, modules, settings, app.folder];
      await runAsRoot(join(debian, 'system.sh'), [...parts, file]);
      if (untrimmed) await rm(settings, { recursive: true });
    },
    options,
  );
  const card = await layer(
    `card-${board.name}`,
    [root.key, { file: join(here, 'sd/card.js') }, board.config, String(epochS)],
    async (folder) => {
      const boot = join(folder, 'boot');
      await cp(join(kernel.folder, 'boot'), boot, { recursive: true });
      if (untrimmed) await cp(join(userland.folder, 'boot'), boot, { recursive: true });
      await cp(join(common, 'boot'), boot, { recursive: true });
      const words = [KERNEL_COMMAND_LINE, ...(untrimmed ? [] : [NO_SELF_TESTS])];
      await writeFile(join(boot, 'cmdline.txt'), `${words.join(' ')}\n`);
      await writeFile(join(boot, 'config.txt'), firmwareConfig(board.config));
      const file = join(folder, 'card.img');
      await makeCard({
        file,
        boot,
        root: join(root.folder, 'root.squashfs'),
        work: folder,
        epochS,
      });
      await rm(boot, { recursive: true });
    },
    options,
  );
  return { userland, kernel, app, root, card, epochS, file: join(card.folder, 'card.img') };
}

/** Checks that files of several users can be created. @throws {PitvError} PITV_IMAGE_USERS without root and user namespaces */
async function checkUsers() {
  await runAsRoot('true', []).catch((cause) => {
    const { username } = userInfo();
    const range = '1000000-1065535';
    const sentence = `The files of a card belong to several users. Build it as root, or give ${username} a range of user ids:
  sudo usermod --add-subuids ${range} --add-subgids ${range} ${username}
(${messageOf(cause)})`;
    throw new PitvError('PITV_IMAGE_USERS', sentence, { cause });
  });
}

/** Returns the time of the last commit, so that files depend only on the source. */
async function lastCommitS() {
  const text = await run('git', ['-C', project, 'log', '-1', '--format=%ct']).catch(() => '0');
  return Number(text) || 1_700_000_000;
}

/** @param {string} file @returns {Promise<string>} hex */
async function sha256(file) {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk);
  return hash.digest('hex');
}

/**
 * Writes the files to publish: the compressed card, checksums, lists and manifest.
 * @param {import('./boards.js').Board} board
 * @param {string} out
 * @param {boolean} [fleet] see buildCard()
 */
async function publish(board, out, fleet) {
  const { userland, kernel, app, root, epochS, file } = await buildCard(board, { fleet });
  const { version } = JSON.parse(await readFile(join(project, 'package.json'), 'utf8'));
  const name = `pitv-${version}-${board.name}`;
  const draft = join(out, `.${name}.${process.pid}`);
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { recursive: true });
  const started = performance.now();
  try {
    const at = (/** @type {string} */ ending) => join(draft, `${name}${ending}`);
    await run('cp', ['--sparse=always', file, at('.img')]);
    await run('bmaptool', ['create', '-o', at('.bmap'), at('.img')]);
    const extract = { bytes: (await stat(at('.img'))).size, sha256: await sha256(at('.img')) };
    // Most of the card is already compressed: -2 takes twice as long and saves 0.3 %.
    await run('xz', ['-T0', '-0', at('.img')]);
    const download = {
      bytes: (await stat(at('.img.xz'))).size,
      sha256: await sha256(at('.img.xz')),
    };
    await writeFile(at('.img.xz.sha256'), `${download.sha256}  ${name}.img.xz\n`);

    const lists = [userland, kernel].map(({ folder }) =>
      readFile(join(folder, 'packages.tsv'), 'utf8'),
    );
    const packages = parsePackages((await Promise.all(lists)).join(''));
    const npm = await listAppPackages(app.folder);
    const listing = [
      ...packages.map((each) => `${each.name} ${each.version}`),
      ...npm.map((each) => `npm:${each.name} ${each.version}`),
    ];
    await writeFile(at('.packages.txt'), `${listing.join('\n')}\n`);
    const bill = createBill({
      name: `${name}.img`,
      version,
      sha256: extract.sha256,
      epochS,
      suite: release()[0],
      debian: packages,
      npm,
    });
    await writeFile(at('.spdx.json'), `${JSON.stringify(bill, null, 1)}\n`);
    const base = process.env.PITV_IMAGE_URL ?? pathToFileURL(`${out}/`).href;
    const url = (/** @type {string} */ file) =>
      new URL(file, base.endsWith('/') ? base : `${base}/`).href;
    await cp(ICON, join(draft, 'pitv.svg'));
    const manifest = createImagerManifest({
      ...{ board, version, epochS, initFormat: IMAGER_INIT_FORMAT },
      ...{ url: url(`${name}.img.xz`), bmapUrl: url(`${name}.bmap`), iconUrl: url('pitv.svg') },
      extractBytes: extract.bytes,
      extractSha256: extract.sha256,
      downloadBytes: download.bytes,
      downloadSha256: download.sha256,
    });
    await writeFile(at('.rpi-imager-manifest'), `${JSON.stringify(manifest, null, 2)}\n`);
    for (const each of await readdir(draft)) await rename(join(draft, each), join(out, each));
    log(`published in ${((performance.now() - started) / 1000).toFixed(1)} s`);
    await printSizes(root.folder, file, download.bytes);
    console.log(join(out, `${name}.img.xz`));
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** Prints the sizes of the card's parts. @param {string} rootFolder @param {string} card @param {number} downloadBytes */
async function printSizes(rootFolder, card, downloadBytes) {
  const mb = (/** @type {number} */ bytes) => `${(bytes / 1e6).toFixed(1).padStart(8)} MB`;
  const parts = (await readFile(join(rootFolder, 'root.squashfs.parts'), 'utf8'))
    .trim()
    .split('\n');
  for (const line of parts) {
    const [kib, what] = line.split('\t');
    console.log(`  ${mb(Number(kib) * 1024)}  ${what}`);
  }
  console.log(
    `  ${mb((await stat(join(rootFolder, 'root.squashfs'))).size)}  root file system, compressed`,
  );
  console.log(`  ${mb((await stat(card)).size)}  card`);
  console.log(`  ${mb(downloadBytes)}  .img.xz`);
}

const HELP = `Usage: node image/build.js [${Object.keys(BOARDS).join('|')}] [options]
  --out DIR    folder of the compressed card and its lists (default image/out)
  --card       build only the card in the cache and print its path
  --fleet      with nats-server, which the setting \`fleet\` of pitv.txt needs (14 MB)
  --untrimmed  with --card: leave Debian's packages unchanged`;

const OPTIONS = /** @type {const} */ ({
  out: { type: 'string', default: join(here, 'out') },
  card: { type: 'boolean' },
  fleet: { type: 'boolean' },
  untrimmed: { type: 'boolean' },
});

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  endOnSignals();
  await program(HELP, OPTIONS, async (values, names) => {
    const board = BOARDS[choose(names, Object.keys(BOARDS), 'armhf')];
    const out = resolve(values.out);
    // A process that was killed leaves drafts.
    for (const folder of [cacheRoot(), out]) await sweepDrafts(folder);
    if (values.card) console.log((await buildCard(board, values)).file);
    else {
      await mkdir(out, { recursive: true });
      await publish(board, out, values.fleet);
    }
    await sweep();
  });
}
