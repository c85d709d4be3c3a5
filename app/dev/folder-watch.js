/** Watches the files of a package that its author edits. */
import { watch } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { isLeftOut } from '../packages/package-folder.js';

/** Changes within this time after the last one are reported together: editors write a file in several steps. */
const DEBOUNCE_MS = 25;

export class FolderWatch {
  /** @type {import('node:fs').FSWatcher[]} */
  #watchers = [];
  /** @type {NodeJS.Timeout | undefined} */
  #timer;
  /** Time of the first change that is not reported yet. @type {number | undefined} */
  #first;
  #closed = false;
  #folder;
  #onChange;

  /** @param {string} folder @param {(at: number) => void} onChange at: performance.now() of the first change */
  constructor(folder, onChange) {
    this.#folder = folder;
    this.#onChange = onChange;
  }

  /** Renews all watches: an earlier one does not see a folder in place of a deleted one. @throws {Error} */
  async open() {
    const found = await listFolders(this.#folder);
    const earlier = this.#watchers.splice(0);
    try {
      for (const path of found) if (!this.#closed) this.#watch(path);
    } finally {
      for (const watcher of earlier) watcher.close(); // last: closing drops events that are on their way
    }
  }

  /** @param {string} path */
  #watch(path) {
    const watcher = watch(path, (_event, name) => {
      if (name === null || !isLeftOut(name)) this.#changed();
    });
    watcher.on('error', () => this.#changed()); // the folder is gone
    this.#watchers.push(watcher);
  }

  #changed(at = performance.now()) {
    clearTimeout(this.#timer);
    if (this.#closed) return;
    const first = (this.#first ??= at);
    this.#timer = setTimeout(async () => {
      this.#first = undefined;
      await this.open().catch(() => {}); // a folder that is gone meanwhile is reported by the copy
      if (!this.#closed) this.#onChange(first);
    }, DEBOUNCE_MS);
  }

  /** Stops to watch. */
  close() {
    this.#closed = true;
    clearTimeout(this.#timer);
    for (const watcher of this.#watchers) watcher.close();
  }
}

/** Lists a folder and those in it that belong to the package. @param {string} folder @returns {Promise<string[]>} */
async function listFolders(folder) {
  const entries = await readdir(folder, { withFileTypes: true });
  const inside = entries.filter((entry) => entry.isDirectory() && !isLeftOut(entry.name));
  const lists = await Promise.all(inside.map(({ name }) => listFolders(join(folder, name))));
  return [folder, ...lists.flat()];
}
