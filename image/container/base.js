/** Makes a minimal Debian system that can install packages, as a tar file. */
import { join, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { APT, release, withApt } from '../sd/apt.js';
import { layer } from '../sd/layers.js';
import { run } from '../sd/shell.js';

const SCRIPT = join(dirname(fileURLToPath(import.meta.url)), 'base.sh');

/**
 * Makes the system with mmdebstrap, unless it is in the cache.
 * @param {string} arch Debian's name of the architecture
 * @param {{suite?: string, log?: (line: string) => void}} [options] suite: trixie by default
 * @returns {Promise<{tar: string, key: string}>} the file, and the hash of its inputs
 */
export async function makeBase(arch, { suite, log } = {}) {
  const [name, edition] = release(suite);
  const env = { PITV_IMAGE_SUITE: name };
  const { folder, key } = await layer(
    `container-${arch}`,
    [name, edition, { file: APT }, { file: SCRIPT }],
    (at) =>
      withApt(
        `container-${name}-${arch}`,
        arch,
        (lists) => run(SCRIPT, [arch, lists, at], { env }),
        env,
      ),
    { log },
  );
  return { tar: join(folder, 'base.tar'), key };
}
