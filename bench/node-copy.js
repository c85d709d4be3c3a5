/** Another file with the same Node in it, whose pages no process of the harness maps. */
import { constants, copyFileSync, existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';

/**
 * @param {string} folder of this run of the harness; the copy stays there for the next sample
 * @returns {string} path: of the copy, or of this Node where there is no room for one
 */
export function nodeOfItsOwn(folder) {
  const path = join(folder, 'node');
  if (existsSync(path)) return path;
  const fresh = `${path}.${process.pid}`;
  try {
    copyFileSync(process.execPath, fresh, constants.COPYFILE_FICLONE);
    renameSync(fresh, path);
  } catch {
    rmSync(fresh, { force: true });
    return process.execPath;
  }
  return path;
}
