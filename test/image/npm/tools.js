/**
 * Programs that check and install npm packages. They are installed on first use from tools/package-lock.json into
 * .cache.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const CACHE = fileURLToPath(new URL('../../../.cache', import.meta.url));
const SOURCE = fileURLToPath(new URL('tools', import.meta.url));

/**
 * Installs the programs.
 * @returns {{folder: string, skip?: undefined} | {folder: '', skip: string}} their node_modules, or why there are none
 */
export function findTools() {
  const lock = readFileSync(join(SOURCE, 'package-lock.json'));
  const hash = createHash('sha256').update(lock).digest('hex').slice(0, 12);
  const folder = join(CACHE, `npm-tools-${hash}`);
  if (!existsSync(folder)) {
    const fresh = `${folder}.${process.pid}`; // another test may install them at this moment
    cpSync(SOURCE, fresh, { recursive: true });
    const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--silent'];
    const { status, error, stderr } = spawnSync('npm', args, { cwd: fresh, encoding: 'utf8' });
    if (status !== 0) {
      rmSync(fresh, { recursive: true, force: true });
      const why = error?.message ?? stderr.trim().split('\n')[0];
      return { folder: '', skip: `npm could not install the tools: ${why}` };
    }
    try {
      renameSync(fresh, folder);
    } catch {
      rmSync(fresh, { recursive: true, force: true }); // the other test was faster
    }
  }
  return { folder: join(folder, 'node_modules') };
}
