/**
 * Where finished clips lie: ID.mp4, and ID.json with what it is. A clip is there when both are, each of
 * them put in its place by a rename (rename(2)), the video first.
 */
import { open, readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeDirectory } from '../store.js';

/** @typedef {import('./clips.js').Clip} Clip */

const NAME = /^([0-9a-f]{24})\.json$/;
const FILE_MODE = 0o600;

export class Shelf {
  /** @type {Map<string, Clip>} */
  #clips = new Map();

  /** @param {string} directory absolute */
  constructor(directory) {
    this.directory = directory;
  }

  get clips() {
    return [...this.#clips.values()];
  }

  /** @param {string} id */
  pathOf(id) {
    return join(this.directory, `${id}.mp4`);
  }
  /** @param {string} id where the video is made */
  temporaryOf(id) {
    return join(this.directory, `${id}.mp4.tmp`);
  }
  /** @param {string} id */
  #noteOf(id) {
    return join(this.directory, `${id}.json`);
  }

  /** Reads what is there; what is not a whole clip is thrown away. */
  async open() {
    await makeDirectory(this.directory);
    const files = await readdir(this.directory);
    for (const file of files) {
      const id = NAME.exec(file)?.[1];
      const clip = id && (await this.#read(id));
      if (clip) this.#clips.set(clip.id, clip);
    }
    for (const file of files) {
      if (!/^[0-9a-f]{24}\./.test(file)) continue; // not ours
      if (!this.#clips.has(file.slice(0, 24)) || file.endsWith('.tmp'))
        await rm(join(this.directory, file), { force: true });
    }
  }

  /** @param {string} id @returns {Promise<Clip | undefined>} */
  async #read(id) {
    try {
      const clip = JSON.parse(await readFile(this.#noteOf(id), 'utf8'));
      const { size } = await stat(this.pathOf(id));
      return clip.id === id ? { ...clip, bytes: size, state: 'ready', error: null } : undefined;
    } catch {
      return undefined;
    }
  }

  /** The finished video takes its place. @param {Clip} clip its bytes and state are filled in */
  async put(clip) {
    const temporary = this.temporaryOf(clip.id);
    const file = await open(temporary, 'r+', FILE_MODE);
    let bytes;
    try {
      await file.chmod(FILE_MODE);
      await file.sync();
      bytes = (await file.stat()).size;
    } finally {
      await file.close();
    }
    /** @type {Partial<Clip>} */
    const ready = { bytes, state: 'ready', done: 1 };
    try {
      await rename(temporary, this.pathOf(clip.id));
      const note = `${this.#noteOf(clip.id)}.tmp`;
      await writeFile(note, JSON.stringify({ ...clip, ...ready }), {
        mode: FILE_MODE,
        flush: true,
      });
      await rename(note, this.#noteOf(clip.id));
    } catch (error) {
      await this.remove(clip.id);
      throw error;
    }
    // Not before: whoever sees that it is ready asks for the file.
    this.#clips.set(clip.id, Object.assign(clip, ready));
  }

  /** @param {string} id what is left of making it */
  async clean(id) {
    await rm(this.temporaryOf(id), { force: true });
    await rm(`${this.#noteOf(id)}.tmp`, { force: true });
  }

  /** @param {string} id */
  async remove(id) {
    this.#clips.delete(id);
    await rm(this.#noteOf(id), { force: true });
    await rm(this.pathOf(id), { force: true });
  }
}
