/** The clips of a TV. They are made one at a time, with a low priority. Their number and size are limited. */
import { EventEmitter } from 'node:events';
import { PitvError, messageOf } from '../errors.js';
import { Admission, checkDisk } from './admission.js';
import { checkClipOptions, newClip, renderJobOf, secondsOf, toClipError } from './clip.js';
import { ClipStore } from './clip-store.js';
import { maxClipBytes } from './encode.js';
import { Recording } from './recording.js';
import { RenderQueue } from './render-queue.js';

/** Folder in the data directory. */
export const CLIPS = 'clips';
const TICK_HZ = 60;
/** Interval at which inputs are copied from the matches' mailboxes, which hold the last 8 s. */
const COPY_MS = 1000;

/**
 * @typedef {import('./clip.js').Clip} Clip
 * @typedef {import('./clip.js').ClipSource} ClipSource
 * @typedef {import('./admission.js').ClipLimits} ClipLimits
 */

/** @typedef {import('./render-queue.js').Work} Work */

/** Emits 'change' when the list or a clip has changed. */
export class Clips extends EventEmitter {
  /** @type {Map<string, Work>} clips that are not ready, by id */
  #works = new Map();
  #admission;
  #store;
  #queue;
  #closed = false;
  #copyTimer;
  /** Why no clip can be stored. @type {string | undefined} */
  problem;

  /**
   * @param {object} parts
   * @param {string} parts.directory absolute
   * @param {import('pino').Logger} parts.log
   * @param {() => ClipSource[]} parts.matches returns the running matches
   * @param {Partial<ClipLimits>} [parts.limits]
   * @param {string} [parts.ffmpeg] the program
   * @param {string} [parts.language] of the texts in the pictures
   * @param {import('../storage/saved-files.js').SavedFiles} [parts.saved] reads the descriptions of the clips
   */
  constructor({ directory, log, matches, limits, ffmpeg = 'ffmpeg', language, saved }) {
    super();
    this.directory = directory;
    this.log = log;
    this.#admission = new Admission(limits);
    this.#store = new ClipStore(directory, saved);
    this.#queue = new RenderQueue({
      store: this.#store,
      works: this.#works,
      log,
      ffmpeg,
      language,
      changed: () => this.emit('change'),
      failed: (work, error) => this.#fail(work, error),
    });
    this.#copyTimer = setInterval(() => {
      for (const match of matches()) match.record();
      if ([...this.#works.values()].some(({ recording }) => recording)) this.#updateRecordings();
    }, COPY_MS).unref();
  }

  /** Loads the stored clips and deletes unfinished ones. */
  async open() {
    if (this.limits.bytes === 0) {
      this.problem = 'Clips are disabled (--clip-mb 0).';
      return;
    }
    try {
      await this.#store.open();
    } catch (error) {
      this.problem = `No clips can be saved: ${messageOf(error)}.`;
      this.log.warn(
        { directory: this.directory, error: messageOf(error) },
        'no clips can be saved',
      );
    }
  }

  get limits() {
    return this.#admission.limits;
  }

  /** All clips, the newest first. @returns {Clip[]} */
  get list() {
    const works = [...this.#works.values()].map(({ clip }) => clip);
    return [...works, ...this.#store.clips].sort((a, b) => b.createdAt - a.createdAt);
  }

  /** Size of all clips, including the space that is reserved for unfinished ones. */
  get bytes() {
    return this.#usage().bytes;
  }

  /** @param {(clip: Clip) => boolean} counts @returns {import('./admission.js').Usage} */
  #usage(counts = () => true) {
    const works = [...this.#works.values()].filter(({ clip }) => counts(clip));
    const finished = this.#store.clips.filter(counts);
    const reserved = works.reduce((sum, work) => sum + work.reserved, 0);
    return {
      pending: works.filter(({ clip }) => clip.state !== 'failed').length,
      finished: finished.length,
      bytes: finished.reduce((sum, clip) => sum + clip.bytes, reserved),
    };
  }

  /** Finds a clip. @param {unknown} id @returns {Clip} @throws {PitvError} PITV_CLIP_UNKNOWN */
  get(id) {
    const clip = this.list.find((one) => one.id === id);
    if (!clip) throw new PitvError('PITV_CLIP_UNKNOWN', 'There is no such clip.');
    return clip;
  }

  /**
   * Returns the path of a finished clip.
   * @param {unknown} id @returns {string} @throws {PitvError} PITV_CLIP_UNKNOWN
   */
  fileOf(id) {
    const clip = this.get(id);
    if (clip.state !== 'ready') {
      throw new PitvError('PITV_CLIP_UNKNOWN', 'The clip is not ready.');
    }
    return this.#store.pathOf(clip.id);
  }

  /**
   * Starts a clip.
   * @param {ClipSource} match
   * @param {object} options
   * @param {'last' | 'now'} [options.from] last: saves the last seconds; now: records the next seconds
   * @param {number} [options.seconds] 1..30 for last, 1..120 for now
   * @param {number} [options.height] 720 or 1080
   * @param {string} options.owner
   * @param {string} [options.client] the key of the client's address; without it, limits per address do not apply
   * @returns {Promise<Clip>} in the state 'recording' or 'waiting'
   * @throws {PitvError} PITV_CLIP_OPTION, PITV_CLIP_EMPTY, PITV_CLIP_BUSY, PITV_CLIP_LIMIT,
   *   PITV_CLIP_SPACE, PITV_DISK_FULL, PITV_CLIP_NOT_KEPT
   */
  async start(match, { from = 'last', seconds, height = 720, owner, client }) {
    const length = checkClipOptions(from, height, seconds);
    const reserved = maxClipBytes(length, height);
    this.#admit({ owner, client }, reserved);
    /** @type {Work} */
    const work = {
      clip: newClip(match, height, { owner, client }),
      reserved,
      abort: new AbortController(),
    };
    match.record();
    if (from === 'last') {
      const { lastTick } = match.replayLog;
      work.job = renderJobOf(match, height, lastTick - length * TICK_HZ);
      work.clip.seconds = secondsOf(work.job);
    } else {
      work.recording = new Recording(match, length, () => this.#endRecording(work));
      work.clip.state = 'recording';
    }
    this.#works.set(work.clip.id, work); // the clip counts from now on
    this.#admission.record(client ?? owner);
    try {
      await checkDisk(this.directory, reserved);
    } catch (error) {
      this.#discard(work);
      throw error;
    }
    this.emit('change');
    this.#queue.next();
    return work.clip;
  }

  /** Checks the limits. @param {{owner: string, client?: string}} by @param {number} reserved bytes */
  #admit({ owner, client }, reserved) {
    if (this.problem || this.#closed) {
      throw new PitvError('PITV_CLIP_NOT_KEPT', this.problem ?? 'The TV is shutting down.');
    }
    const own = client === undefined ? undefined : this.#usage((clip) => clip.client === client);
    this.#admission.check(client ?? owner, reserved, this.#usage(), own);
  }

  // Recordings.

  #updateRecordings() {
    for (const { clip, recording } of this.#works.values()) {
      if (recording) clip.seconds = Math.floor((Date.now() - clip.createdAt) / 1000);
    }
    this.emit('change');
  }

  /** Ends a recording and queues its clip. @param {string} id @throws {PitvError} PITV_CLIP_UNKNOWN */
  finish(id) {
    const work = this.#works.get(id);
    if (!work?.recording) {
      throw new PitvError('PITV_CLIP_UNKNOWN', 'The clip is not being recorded.');
    }
    this.#endRecording(work);
  }

  /** Ends the recordings of a match that has ended. @param {ClipSource} match */
  matchEnded(match) {
    for (const work of this.#works.values()) {
      if (work.recording?.isOf(match)) this.#endRecording(work);
    }
  }

  /** @param {Work} work */
  #endRecording(work) {
    const { recording, clip } = work;
    if (!recording) return;
    work.recording = undefined;
    try {
      work.job = recording.end(clip.height);
      clip.seconds = secondsOf(work.job);
      clip.state = 'waiting';
    } catch (error) {
      this.#fail(work, error);
    }
    this.emit('change');
    this.#queue.next();
  }

  /**
   * Marks a clip as failed. It stays in the list, so that screens show the reason.
   * @param {Work} work @param {unknown} error
   */
  #fail(work, error) {
    const { clip } = work;
    const { code, message, details } = toClipError(error);
    this.log.warn({ clip: clip.id, code, error: message, details }, 'a clip failed');
    clip.state = 'failed';
    clip.error = { code, message };
    work.reserved = 0;
    const failed = [...this.#works.values()].filter((one) => one.clip.state === 'failed');
    for (const old of failed.slice(0, -this.limits.waiting)) this.#works.delete(old.clip.id);
  }

  /** @param {Work} work */
  #discard(work) {
    work.recording?.cancel();
    work.recording = undefined;
    this.#works.delete(work.clip.id);
  }

  /**
   * Deletes a clip, or cancels one that is not ready.
   * @param {string} id
   * @returns {Promise<void>} resolves when its files are deleted
   * @throws {PitvError} PITV_CLIP_UNKNOWN
   */
  async remove(id) {
    const { state } = this.get(id);
    const work = this.#works.get(id);
    if (work && state === 'making') {
      work.abort.abort();
      await this.#queue.idle;
      await this.#store.remove(id); // in case it was completed before it could be aborted
    } else if (work) this.#discard(work);
    else await this.#store.remove(id);
    this.emit('change');
  }

  /** Cancels all unfinished clips. */
  async close() {
    this.#closed = true;
    clearInterval(this.#copyTimer);
    for (const work of this.#works.values()) {
      work.recording?.cancel();
      work.recording = undefined;
      work.abort.abort();
    }
    await this.#queue.close();
  }
}
