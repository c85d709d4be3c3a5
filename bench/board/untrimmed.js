/** Builds a card of Debian's packages as Debian installs them, to compare the trimmed card with. */
import { cp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildCard } from '../../image/build.js';
import { APT, SUITES, release, withApt } from '../../image/sd/apt.js';
import {
  KERNEL_COMMAND_LINE,
  firmwareConfig,
  makeCard,
  rootArgument,
} from '../../image/sd/card.js';
import { layer } from '../../image/sd/layers.js';
import { run, runAsRoot } from '../../image/sd/shell.js';

const IMAGE = fileURLToPath(new URL('../../image/', import.meta.url));
const COMMON = join(IMAGE, 'common');
const SYSTEM = join(IMAGE, 'debian/system.sh');
const SCRIPT = fileURLToPath(new URL('untrimmed.sh', import.meta.url));
const LISTS = ['packages.txt', 'modules.txt', 'kernels.txt'];

/**
 * Builds the card, with the app, settings and boot firmware of the trimmed one, unless it is in the cache.
 * @param {import('../../image/boards.js').Board} board
 * @returns {Promise<{root: {folder: string}, file: string}>} file: the card
 */
export async function buildUntrimmed(board) {
  const { kernel, app, epochS } = await buildCard(board);
  /** @param {string} kind @param {Parameters<typeof layer>[1]} inputs @param {Parameters<typeof layer>[2]} make */
  const boardLayer = (kind, inputs, make) =>
    layer(`${kind}-${board.name}`, inputs, make, { log: console.log });
  const lists = LISTS.map((name) => ({ file: join(IMAGE, 'debian', name) }));
  const userland = await boardLayer(
    'untrimmed',
    [...release(), { file: SCRIPT }, { file: APT }, ...lists],
    (folder) =>
      withApt(board.name, board.name, async (at) => {
        await run(SCRIPT, [board.name, at, folder]);
        await cp(join(at, SUITES), join(folder, SUITES));
      }),
  );
  const root = await boardLayer(
    'root',
    [userland.key, app.key, { file: COMMON }, { file: SYSTEM }],
    async (folder) => {
      const settings = join(folder, 'common');
      await cp(COMMON, settings, { recursive: true });
      for (const list of ['masked.txt', 'later.txt']) await writeFile(join(settings, list), '');
      await cp(join(userland.folder, SUITES), join(folder, SUITES));
      const parts = [join(userland.folder, 'rootfs.tar'), userland.folder, settings, app.folder];
      await runAsRoot(SYSTEM, [board.name, ...parts, join(folder, 'root.squashfs')]);
      await rm(settings, { recursive: true });
    },
  );
  const card = await boardLayer(
    'card',
    [root.key, kernel.key, { file: join(IMAGE, 'sd/card.js') }, board.config, String(epochS)],
    async (folder) => {
      const boot = join(folder, 'boot');
      for (const from of [kernel.folder, userland.folder, COMMON])
        await cp(join(from, 'boot'), boot, { recursive: true });
      const words = `${rootArgument(2)} ${KERNEL_COMMAND_LINE}\n`;
      await writeFile(join(boot, 'cmdline.txt'), words);
      await writeFile(join(boot, 'config.txt'), firmwareConfig(board.config));
      const [file, squashfs] = [join(folder, 'card.img'), join(root.folder, 'root.squashfs')];
      await makeCard({ file, boot, root: squashfs, work: folder, epochS });
      await rm(boot, { recursive: true });
    },
  );
  return { root, file: join(card.folder, 'card.img') };
}
