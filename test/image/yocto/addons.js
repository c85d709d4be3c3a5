/** Compiles the addons of an unpacked archive for Arm. */
import { execFileSync, spawnSync } from 'node:child_process';
import { join } from 'node:path';

const ADDONS = ['app/native', 'ksm/native'];
export const CC = 'arm-linux-gnueabihf-gcc';
/** Why the addons cannot be compiled here, for a test's `skip`; false where they can. */
export const noCompiler =
  spawnSync(CC, ['--version']).status !== 0 && `${CC} is missing: ./setup.sh image`;

/**
 * Compiles the addons.
 * @param {string} app the unpacked archive
 * @param {Record<string, string>} settings of make
 * @returns {string[]} the description of each addon by readelf
 */
export function compileAddons(app, settings) {
  const variables = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
  for (const addon of ADDONS) {
    const args = ['-s', '-C', join(app, addon), 'ARCH=arm', 'WERROR=', ...variables];
    execFileSync('make', [...args, 'clean'], { stdio: 'pipe' });
    execFileSync('make', args, { stdio: 'pipe' });
  }
  return ['pitv', 'ksm'].map((name) =>
    execFileSync('arm-linux-gnueabihf-readelf', ['-hA', join(app, `build/arm/${name}.node`)], {
      encoding: 'utf8',
    }),
  );
}
