/**
 * Programs that check and install npm packages. They are installed on first use from tools/package-lock.json into
 * .cache.
 */
import { spawnSync } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { messageOf } from '../../../app/errors.js';
import { hashOf, makeOnce } from '../../support/folders.js';

const CACHE = fileURLToPath(new URL('../../../.cache', import.meta.url));
const SOURCE = fileURLToPath(new URL('tools', import.meta.url));

/**
 * Installs the programs.
 * @returns {{folder: string, skip?: undefined} | {folder: '', skip: string}} their node_modules, or why there are none
 */
export function findTools() {
  const hash = hashOf(join(SOURCE, 'package-lock.json'));
  const folder = join(CACHE, `npm-tools-${hash}`);
  try {
    makeOnce(folder, (cwd) => {
      cpSync(SOURCE, cwd, { recursive: true });
      const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--silent'];
      const { status, error, stderr } = spawnSync('npm', args, { cwd, encoding: 'utf8' });
      if (status !== 0) throw error ?? new Error(stderr.trim().split('\n')[0]);
    });
    return { folder: join(folder, 'node_modules') };
  } catch (error) {
    return { folder: '', skip: `npm could not install the tools: ${messageOf(error)}` };
  }
}
