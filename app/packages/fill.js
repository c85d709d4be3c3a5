/** Writes the files of a package from where it comes: npm, an archive or a folder. */
import { access, constants, mkdir, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { reasonOf } from '../storage/reason.js';
import { refused } from './package-folder.js';

/**
 * Writes the files of a source to a package's folder.
 * @param {import('./package-folder.js').PackageFolder} target
 * @param {import('./record.js').Source} source
 * @param {string} [file] see Packages.install()
 */
export async function fill(target, source, file) {
  if (source.kind !== 'npm') {
    const path = resolve(file ?? String(source.from));
    await access(path, constants.R_OK).catch((error) => {
      throw refused(`${path} cannot be read: ${reasonOf(error)}.`, error);
    });
    if (source.kind === 'folder' || source.kind === 'bundled') {
      return (await import('./source-files.js')).copySourceFiles(path, target);
    }
    return (await import('./archive.js')).unpack(path, target);
  }
  const [{ fetchFromNpm }, { unpack }] = await Promise.all([
    import('./npm.js'),
    import('./archive.js'),
  ]);
  const folder = `${target.folder}-npm`;
  await mkdir(folder, { mode: 0o700 });
  try {
    await unpack(await fetchFromNpm(String(source.from), folder), target);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
