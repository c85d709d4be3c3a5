/**
 * Chromium builds of past years, from the npm package chrome-aws-lambda. Each is fetched and unpacked into
 * build/browsers at its first use.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync } from 'node:zlib';
import { messageOf } from '../../app/errors.js';
import { makeOnce } from './folders.js';

const FOLDER = fileURLToPath(new URL('../../build/browsers', import.meta.url));

/** Versions of the package, with the SHA-512 of its archive, by the version of Chromium. */
const PACKAGES = Object.freeze({
  68: {
    version: '1.4.0',
    integrity:
      'sha512-TKbIW6zM8pO26QxxeB1uIMBzSmF5KaHqzXfpMXl8ynyB3YQpGnxFTnmEB3ALm+Z/szb0LD8PGhOqAAkObSowzQ==',
  },
  80: {
    version: '2.1.1',
    integrity:
      'sha512-Wer2QuygxsCov5bM2+8CLa6qYpNsc5AxYTlgTne00aFoxFP491LGJRxOQtGnYtsJP6UG4pB0SfrwTyPnLys1Lw==',
  },
  92: {
    version: '10.1.0',
    integrity:
      'sha512-NZQVf+J4kqG4sVhRm3WNmOfzY0OtTSm+S8rg77pwePa9RCYHzhnzRs8YvNI6L9tALIW6RpmefWiPURt3vURXcw==',
  },
});
/** @typedef {keyof typeof PACKAGES} OldVersion */

/**
 * Finds a version of Chromium, and fetches it if needed.
 * @param {OldVersion} version @returns {{binary: string, skip: string | false}} skip: why it is not available here
 */
export function findOldBrowser(version) {
  const folder = join(FOLDER, String(version));
  const binary = join(folder, 'chromium');
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    return { binary, skip: 'these browsers are for Linux on x64' };
  }
  try {
    makeOnce(folder, (draft) => unpack(draft, PACKAGES[version]));
    return { binary, skip: false };
  } catch (error) {
    return { binary, skip: `Chromium ${version} could not be fetched: ${messageOf(error)}` };
  }
}

/** @param {string} folder @param {{version: string, integrity: string}} about */
function unpack(folder, { version, integrity }) {
  const name = `chrome-aws-lambda-${version}.tgz`;
  run('npm', ['pack', `chrome-aws-lambda@${version}`, '--silent'], folder);
  const archive = join(folder, name);
  const hash = createHash('sha512').update(readFileSync(archive)).digest('base64');
  if (`sha512-${hash}` !== integrity) throw new Error(`${name} has changed`);
  run('tar', ['-xzf', name, '--strip-components=2', 'package/bin'], folder);
  const part = join(
    folder,
    readdirSync(folder).find((file) => /^chromium.*\.br$/.test(file)) ?? '',
  );
  writeFileSync(join(folder, 'chromium'), brotliDecompressSync(readFileSync(part)), {
    mode: 0o755,
  });
  for (const file of [archive, part]) rmSync(file);
}

/** @param {string} command @param {string[]} args @param {string} cwd */
function run(command, args, cwd) {
  const { error, status, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (error) throw error;
  if (status !== 0) throw new Error(stderr.trim().split('\n')[0] || `${command} failed`);
}
