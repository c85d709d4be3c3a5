/**
 * Stores finished clips in a directory: ID.mp4 is the video, ID.json describes it. A clip exists when both
 * files do. Each is written under another name and renamed (rename(2)), the video first.
 */
import { lstat, open, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LIMITS } from '../limits/table.js';
import { isObject, isText, isWhole } from '../storage/checks.js';
import { SavedFiles, listNames, parseJson, unusable } from '../storage/saved-files.js';
import { makeDirectory } from '../storage/store.js';

/** @typedef {import('./clips.js').Clip} Clip */

const NAME = /^([0-9a-f]{24})\.json$/;
/** Names of this store's files. Files that were set aside have other names. */
const FILE = /^[0-9a-f]{24}\.(json|mp4)(\.tmp)?$/;
const FILE_MODE = 0o600;
const MAX_TEXT = 256;
const MAX_PIXELS = 8192;
/** The year 9999 is the last one with four digits in ISO 8601. */
const MAX_TIME = Date.UTC(9999, 11, 31);

/** Field of a description -> its check. @type {Record<string, (fields: any) => boolean>} */
const CHECKS = {
  owner: ({ owner }) => isText(owner, MAX_TEXT),
  client: ({ client }) => client === undefined || isText(client, MAX_TEXT),
  match: ({ match }) => isWhole(match, 0),
  game: ({ game }) => typeof game === 'string' && /^[a-z0-9-]{1,64}$/i.test(game),
  title: ({ title }) => isText(title, MAX_TEXT),
  createdAt: ({ createdAt }) => isWhole(createdAt, 0, MAX_TIME),
  seconds: ({ seconds }) => Number.isFinite(seconds) && seconds >= 0,
  width: ({ width }) => isWhole(width, 1, MAX_PIXELS),
  height: ({ height }) => isWhole(height, 1, MAX_PIXELS),
  fps: ({ fps }) => isWhole(fps, 1, 1000),
};

/**
 * Parses the description of a clip.
 * @param {Buffer} bytes @param {string} id
 * @returns {Clip}
 * @throws {import('../errors.js').PitvError} PITV_SAVED_INVALID
 */
function parseDescription(bytes, id) {
  const fields = parseJson(bytes);
  if (!isObject(fields) || fields.id !== id) throw unusable('it does not describe this clip');
  const wrong = Object.keys(CHECKS).find((name) => !CHECKS[name](fields));
  if (wrong) throw unusable(`its field "${wrong}" is wrong`);
  const { owner, client, match, game, title, createdAt, seconds, width, height, fps } =
    /** @type {any} */ (fields);
  const about = { id, owner, client, match, game, title, createdAt, seconds, width, height, fps };
  return { ...about, bytes: 0, state: 'ready', done: 1, error: null };
}

export class ClipStore {
  /** @type {Map<string, Clip>} */
  #clips = new Map();

  /**
   * @param {string} directory absolute
   * @param {SavedFiles} [saved] reads the descriptions
   */
  constructor(directory, saved = new SavedFiles(directory)) {
    this.directory = directory;
    this.saved = saved;
  }

  /** The stored clips. */
  get clips() {
    return [...this.#clips.values()];
  }

  /** Returns the path of a video. @param {string} id */
  pathOf(id) {
    return join(this.directory, `${id}.mp4`);
  }
  /** Returns the path of an unfinished video. @param {string} id */
  temporaryOf(id) {
    return join(this.directory, `${id}.mp4.tmp`);
  }
  /** @param {string} id */
  #descriptionOf(id) {
    return join(this.directory, `${id}.json`);
  }

  /** Reads the stored clips. Deletes files of unfinished clips, and sets aside unusable files. */
  async open() {
    await makeDirectory(this.directory);
    const files = await listNames(this.directory, FILE);
    for (const file of files) {
      const id = NAME.exec(file)?.[1];
      const clip = id && (await this.#read(id));
      if (clip) this.#clips.set(clip.id, clip);
    }
    for (const file of files) {
      if (!this.#clips.has(file.slice(0, 24)) || file.endsWith('.tmp')) await this.#discard(file);
    }
  }

  /** @param {string} id @returns {Promise<Clip | undefined>} */
  async #read(id) {
    /** @param {Buffer} bytes */
    const parse = (bytes) => parseDescription(bytes, id);
    const maxBytes = LIMITS.savedStateBytes.value;
    const clip = await this.saved.load(this.#descriptionOf(id), { maxBytes, parse });
    const video = await lstat(this.pathOf(id)).catch(() => undefined);
    if (clip && video?.isFile()) return { ...clip, bytes: video.size };
    const why = clip ? 'it is not a regular file' : 'its description cannot be used';
    if (video) await this.saved.reject(this.pathOf(id), unusable(why));
    return undefined;
  }

  /** @param {string} file */
  async #discard(file) {
    const path = join(this.directory, file);
    const about = await lstat(path).catch(() => undefined);
    if (about?.isDirectory()) await this.saved.reject(path, unusable('it is a directory'));
    else await rm(path, { force: true });
  }

  /** Stores a finished video, and sets `bytes` and `state` of the clip. @param {Clip} clip */
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
      const description = `${this.#descriptionOf(clip.id)}.tmp`;
      await writeFile(description, JSON.stringify({ ...clip, ...ready }), {
        mode: FILE_MODE,
        flush: true,
      });
      await rename(description, this.#descriptionOf(clip.id));
    } catch (error) {
      await this.remove(clip.id);
      throw error;
    }
    // Only now, because clients request the file as soon as the state is 'ready'.
    this.#clips.set(clip.id, Object.assign(clip, ready));
  }

  /** Deletes the temporary files of a clip. @param {string} id */
  async removeTemporary(id) {
    await rm(this.temporaryOf(id), { force: true });
    await rm(`${this.#descriptionOf(id)}.tmp`, { force: true });
  }

  /** Deletes a clip. @param {string} id */
  async remove(id) {
    this.#clips.delete(id);
    await rm(this.#descriptionOf(id), { force: true });
    await rm(this.pathOf(id), { force: true });
  }
}
