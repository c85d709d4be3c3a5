/**
 * Builds a card: `make image`, or `node image/build.js --help`.
 * Layers (userland, kernel, dependencies, app, root, card) are cached by the hash of their inputs. Files
 * in image/out are written under a temporary name and renamed when they are complete.
 */
import { cp, rm, writeFile } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { join, resolve } from 'node:path';
import { PitvError, messageOf } from '../app/errors.js';
import { makeDirectory } from '../app/storage/store.js';
import { BOARDS } from './boards.js';
import { choose, program, usage } from './program.js';
import { publish } from './publish.js';
import { SUITES, readSuites, release, systemVersion, withApt } from './sd/apt.js';
import { PROJECT, lastCommit, listFiles, makeApp, makeModules, makeNode } from './sd/app.js';
import { firmwareConfig, kernelCommandLine, makeCard } from './sd/card.js';
import { cacheRoot, layer, sweep, sweepDrafts } from './sd/layers.js';
import { endOnSignals, run, runAsRoot, words } from './sd/shell.js';
import { openKey } from './update/key.js';
import { makeBootChoice, makeBootSlot } from './update/slots.js';

const here = join(PROJECT, 'image');
const debian = join(here, 'debian');

/** The libraries of a Node.js that is not Debian's, in addition to libc6. */
const NODE_LIBRARIES = Object.freeze(['libstdc++6', 'libgcc-s1']);
/** 14 MB, so it is on cards for a fleet only. */
const FLEET_PACKAGE = 'nats-server';

/** @param {string} line */
const log = (line) => console.log(`image: ${line}`);

/**
 * Builds the card of a board, unless it is in the cache.
 * @param {import('./boards.js').Board} board
 * @param {object} [options]
 * @param {boolean} [options.fleet] with the server of a fleet
 * @param {boolean} [options.kiosk] with a browser, which shows the screen page on the television
 * @param {string} [options.keyring] what signatures of updates the card trusts: it has two systems
 * @throws {PitvError} PITV_USAGE if there is no such card of the board, and the errors of the tools
 */
export async function buildCard(board, { fleet, kiosk, keyring } = {}) {
  if (keyring && !board.uboot)
    throw usage(`There is no card for ${board.name} that installs updates.`);
  if (kiosk && !board.kiosk)
    throw usage(`There is no card with a browser for ${board.name}. Use armhf or arm64.`);
  const uboot = keyring ? board.uboot : undefined;
  const ubootVariants = Object.values(uboot ?? {}).join(' ');
  await makeDirectory(cacheRoot(), 0o777);
  await checkUsers();
  const [suite, edition] = release();
  // The times of files depend on the source only.
  const ownS = Number(process.env.SOURCE_DATE_EPOCH);
  const epochS = ownS || (await lastCommit()).timeS || 1_700_000_000;

  const common = join(here, 'common');
  const update = join(here, 'update');
  const filesOf = (/** @type {string} */ folder, /** @type {string[]} */ ...names) =>
    names.map((name) => ({ file: join(folder, name) }));
  // What more a card has: files in folders of the same form
  const parts = [...(uboot ? [update] : []), ...(kiosk ? [join(here, 'kiosk')] : [])];
  const partsOf = (/** @type {string} */ name) => parts.flatMap((part) => filesOf(part, name));
  /** @type {typeof layer} */
  const cached = (name, inputs, make) => layer(name, inputs, make, { log });
  // Boards of an architecture share all layers but kernel, root and card.
  const { arch, name } = board;
  /**
   * Runs a script of debian/ that downloads packages.
   * @param {string} script @param {string} target architecture or board @param {string} folder of the layer
   * @param {string} what names of packages, or of variants of U-Boot
   * @param {{file: string}[]} lists of packages or modules
   */
  const download = (script, target, folder, what, lists) =>
    withApt(name, arch, async (at) => {
      const files = lists.map(({ file }) => file);
      const env = { STRIP: board.cc.replace(/gcc$/, 'strip') };
      await run(join(debian, script), [target, at, folder, what, ...files], { env });
      await cp(join(at, SUITES), join(folder, SUITES));
    });

  const packages = [
    ...(board.nodePackage ? NODE_LIBRARIES : ['nodejs']),
    ...(fleet ? [FLEET_PACKAGE] : []),
  ].join(' ');
  const morePackages = partsOf('packages.txt');
  const userlandFiles = filesOf(debian, 'rootfs.sh', 'apt.sh', 'packages.txt');
  const userland = await cached(
    `userland-${arch}`,
    [suite, edition, packages, ...userlandFiles, ...morePackages],
    (folder) => download('rootfs.sh', arch, folder, packages, morePackages),
  );

  const kernelFiles = words`kernel.sh apt.sh backports.sh kernels.txt modules.txt initrd`;
  const moreModules = partsOf('modules.txt');
  const kernel = await cached(
    `kernel-${name}`,
    [suite, edition, ...filesOf(debian, ...kernelFiles), ubootVariants, ...moreModules],
    (folder) => download('kernel.sh', name, folder, ubootVariants, moreModules),
  );

  const nodeFiles = filesOf(here, 'node', 'sd/app.js');
  const node = board.nodePackage
    ? await cached(`node-${arch}`, nodeFiles, (folder) => makeNode(board, folder))
    : undefined;

  const modules = await cached(
    `modules-${arch}`,
    [
      ...filesOf(PROJECT, 'package.json', 'package-lock.json'),
      ...filesOf(here, 'sd/app.js'),
      board.cpu,
      ...board.omit,
    ],
    (folder) => makeModules(board, folder),
  );
  const appFiles = [...(await listFiles()), 'package-lock.json'].sort();
  const app = await cached(
    `app-${arch}`,
    [
      modules.key,
      board.cc,
      board.cflags,
      ...appFiles.flatMap((name) => [name, { file: join(PROJECT, name) }]),
    ],
    (folder) => makeApp(board, modules.folder, folder),
  );

  const root = await cached(
    `root-${name}`,
    [
      userland.key,
      kernel.key,
      node?.key ?? '',
      app.key,
      { file: common },
      ...filesOf(debian, 'system.sh'),
      ...partsOf('root'),
      ...(keyring ? [...filesOf(update, 'install.sh'), { file: keyring }] : []),
    ],
    async (folder) => {
      const file = join(folder, 'root.squashfs');
      const suites = await readSuites([userland, kernel]);
      const lines = suites.map(({ suite, date }) => `${suite}\t${date}\n`);
      await writeFile(join(folder, SUITES), lines.join(''));
      await writeFile(join(folder, 'version'), `${systemVersion(suites, epochS)}\n`);
      const tar = join(userland.folder, 'rootfs.tar');
      const what = [name, tar, app.folder, file, kiosk ? 'kiosk' : '', keyring ?? ''];
      const trees = [join(kernel.folder, 'root'), ...(node ? [node.folder] : [])];
      await runAsRoot(join(debian, 'system.sh'), [...what, ...trees]);
    },
  );

  const card = await cached(
    `card-${name}`,
    [
      root.key,
      ...filesOf(here, 'sd/card.js'),
      board.config,
      String(epochS),
      ...(uboot ? filesOf(update, 'boot', 'slots.js') : []),
    ],
    async (folder) => {
      const boot = join(folder, 'boot');
      for (const from of [kernel.folder, common])
        await cp(join(from, 'boot'), boot, { recursive: true });
      const commandLine = kernelCommandLine({ hasRoot: !uboot, kiosk });
      await writeFile(join(boot, 'cmdline.txt'), `${commandLine}\n`);
      await writeFile(join(boot, 'config.txt'), firmwareConfig(board.config, { uboot }));
      const slots = uboot && { boot: join(folder, 'slot.img'), choice: join(folder, 'choice') };
      if (slots) {
        const how = { cpu: board.cpu, files: boot, epochS };
        await makeBootSlot({ ...how, file: slots.boot, work: join(folder, 'slot') });
        await makeBootChoice({ ...how, choice: slots.choice });
      }
      const content = { boot, root: join(root.folder, 'root.squashfs'), slots };
      await makeCard({ file: join(folder, 'card.img'), ...content, work: folder, epochS });
      if (slots) await rm(slots.choice);
      await rm(boot, { recursive: true });
    },
  );
  const file = join(card.folder, 'card.img');
  return { userland, kernel, node, app, root, card, epochS, file, kiosk };
}

/**
 * Checks that files of several users can be created.
 * @throws {PitvError} PITV_IMAGE_USERS without root and user namespaces
 */
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

const HELP = `Usage: node image/build.js [${Object.keys(BOARDS).join('|')}] [options]
  --out DIR    folder of the compressed card and its lists (default image/out)
  --key DIR    the folder of \`make update-key\`: the card has two systems, and accepts updates of this key
  --development  accept a development key
  --card       build only the card in the cache and print its path
  --fleet      with nats-server, which the setting \`fleet\` of pitv.txt needs (14 MB)
  --kiosk      with a browser, which shows the screen page on the television`;

const OPTIONS = /** @type {const} */ ({
  out: { type: 'string', default: join(here, 'out') },
  key: { type: 'string' },
  development: { type: 'boolean' },
  card: { type: 'boolean' },
  fleet: { type: 'boolean' },
  kiosk: { type: 'boolean' },
});

await program(import.meta, HELP, OPTIONS, async (values, names) => {
  endOnSignals();
  const board = BOARDS[choose(names, Object.keys(BOARDS), 'armhf')];
  const out = resolve(values.out);
  // A process that was killed leaves drafts.
  for (const folder of [cacheRoot(), out]) await sweepDrafts(folder);
  const { card, fleet, kiosk } = values;
  const keyring = (await openKey(values.key, values))?.keyring;
  const built = await buildCard(board, { fleet, kiosk, keyring });
  if (card) console.log(built.file);
  else await publish(board, out, built, log);
  await sweep();
});
