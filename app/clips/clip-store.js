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
/** Names of this store's files; rejected files have other names. */
const FILE = /^[0-9a-f]{24}\.(json|mp4)(\.tmp)?$/;
const FILE_MODE = 0o600;
const TEXT_MAX = 256;
const PIXELS_MAX = 8192;
/** The last day of the year 9999: later ones have no ISO 8601 date of four digits. */
const TIME_MAX = Date.UTC(9999, 11, 31);

/** Field of a note -> its check. @type {Record<string, (note: any) => boolean>} */
const CHECKS = {
  owner: ({ owner }) => isText(owner, TEXT_MAX),
  client: ({ client }) => client === undefined || isText(client, TEXT_MAX),
  match: ({ match }) => isWhole(match, 0),
  game: ({ game }) => typeof game === 'string' && /^[a-z0-9-]{1,64}$/i.test(game),
  title: ({ title }) => isText(title, TEXT_MAX),
  createdAt: ({ createdAt }) => isWhole(createdAt, 0, TIME_MAX),
  seconds: ({ seconds }) => Number.isFinite(seconds) && seconds >= 0,
  width: ({ width }) => isWhole(width, 1, PIXELS_MAX),
  height: ({ height }) => isWhole(height, 1, PIXELS_MAX),
  fps: ({ fps }) => isWhole(fps, 1, 1000),
};

/**
 * Parses a clip's note.
 * @param {Buffer} bytes @param {string} id
 * @returns {Clip}
 * @throws {import('../errors.js').PitvError} PITV_SAVED_INVALID
 */
function parseNote(bytes, id) {
  const note = parseJson(bytes);
  if (!isObject(note) || note.id !== id) throw unusable('it is no note of this clip');
  const wrong = Object.keys(CHECKS).find((name) => !CHECKS[name](note));
  if (wrong) throw unusable(`its field "${wrong}" is wrong`);
  const { owner, client, match, game, title, createdAt, seconds, width, height, fps } =
    /** @type {any} */ (note);
  const about = { id, owner, client, match, game, title, createdAt, seconds, width, height, fps };
  return { ...about, bytes: 0, state: 'ready', done: 1, error: null };
}

export class ClipStore {
  /** @type {Map<string, Clip>} */
  #clips = new Map();

  /**
   * @param {string} directory absolute
   * @param {SavedFiles} [saved] reads the notes
   */
  constructor(directory, saved = new SavedFiles(directory)) {
    this.directory = directory;
    this.saved = saved;
  }

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
  #noteOf(id) {
    return join(this.directory, `${id}.json`);
  }

  /**
   * Reads the stored clips. Deletes leftovers of unfinished clips; renames files that it cannot use.
   */
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
    const parse = (bytes) => parseNote(bytes, id);
    const maxBytes = LIMITS.savedStateBytes.value;
    const clip = await this.saved.load(this.#noteOf(id), { maxBytes, parse });
    const video = await lstat(this.pathOf(id)).catch(() => undefined);
    if (clip && video?.isFile()) return { ...clip, bytes: video.size };
    const why = clip ? 'it is not a regular file' : 'its note cannot be used';
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

  /** Stores a finished video. @param {Clip} clip gets its `bytes` and `state` */
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
    // Last: a client that sees the state 'ready' requests the file.
    this.#clips.set(clip.id, Object.assign(clip, ready));
  }

  /** Deletes the temporary files of a clip. @param {string} id */
  async clean(id) {
    await rm(this.temporaryOf(id), { force: true });
    await rm(`${this.#noteOf(id)}.tmp`, { force: true });
  }

  /** Deletes a clip. @param {string} id */
  async remove(id) {
    this.#clips.delete(id);
    await rm(this.#noteOf(id), { force: true });
    await rm(this.pathOf(id), { force: true });
  }
}
