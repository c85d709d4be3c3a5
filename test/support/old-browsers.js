/**
 * Chromium builds of past years, from the npm package chrome-aws-lambda. Each is fetched and unpacked into
 * build/browsers at its first use.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { chmod, mkdir, readFile, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { createBrotliDecompress } from 'node:zlib';

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
 * @param {OldVersion} version
 * @returns {Promise<{binary: string, skip: string | false}>} skip: why it is not available here
 */
export async function findOldBrowser(version) {
  const folder = join(FOLDER, String(version));
  const binary = join(folder, 'chromium');
  if (existsSync(binary)) return { binary, skip: false };
  if (process.platform !== 'linux' || process.arch !== 'x64') {
    return { binary, skip: 'these browsers are for Linux on x64' };
  }
  const draft = `${folder}.${process.pid}`;
  try {
    await mkdir(draft, { recursive: true });
    await unpack(draft, PACKAGES[version]);
    await rename(draft, folder).catch((error) => {
      if (!existsSync(binary)) throw error; // otherwise another test was faster
    });
    return { binary, skip: false };
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    return { binary, skip: `Chromium ${version} could not be fetched: ${reason}` };
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** @param {string} folder @param {{version: string, integrity: string}} about */
async function unpack(folder, { version, integrity }) {
  const name = `chrome-aws-lambda-${version}.tgz`;
  run('npm', ['pack', `chrome-aws-lambda@${version}`, '--silent'], folder);
  const archive = join(folder, name);
  const hash = createHash('sha512').update(await readFile(archive));
  if (`sha512-${hash.digest('base64')}` !== integrity) throw new Error(`${name} has changed`);
  run('tar', ['-xzf', name, '--strip-components=2', 'package/bin'], folder);
  const part = (await readdir(folder)).find((file) => /^chromium.*\.br$/.test(file)) ?? '';
  const binary = join(folder, 'chromium');
  await pipeline(
    createReadStream(join(folder, part)),
    createBrotliDecompress(),
    createWriteStream(binary),
  );
  await chmod(binary, 0o755);
  await Promise.all([archive, join(folder, part)].map((file) => rm(file)));
}

/** @param {string} command @param {string[]} args @param {string} cwd */
function run(command, args, cwd) {
  const { error, status, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' });
  if (error) throw error;
  if (status !== 0) throw new Error(stderr.trim().split('\n')[0] || `${command} failed`);
}
