/** Keeps the temporary files of a target in a folder named after its process, to remove them even if it is killed. */
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The place of these folders. Targets sync many small files, which is fast enough in memory only. */
export const PARENT = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();
const NAME = /^pitv-fuzz-(\d+)$/;

/** Makes a folder for this process, and makes it the place of temporary files (`os.tmpdir()`). */
export function useOwnFolder() {
  const folder = join(PARENT, `pitv-fuzz-${process.pid}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  process.env.TMPDIR = folder;
}

/** Removes the folders of processes that have ended. */
export function removeOldFolders() {
  for (const name of readdirSync(PARENT)) {
    const pid = NAME.exec(name)?.[1];
    // A zombie has no program. It stays where the parent of orphans does not wait for them, as in some containers.
    if (!pid || existsSync(`/proc/${pid}/exe`)) continue;
    try {
      rmSync(join(PARENT, name), { recursive: true, force: true });
    } catch {
      // A child of the process still writes into the folder. The next call removes it.
    }
  }
}
