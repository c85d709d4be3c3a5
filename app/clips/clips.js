/**
 * The TV's clips: recorded, waiting, being made, or ready. One at a time is made, at a low priority. Their
 * number and size are bounded, and a file gets its name only when it is complete.
 */
import { EventEmitter } from 'node:events';
import { PitvError, messageOf } from '../errors.js';
import { Admission, checkDisk } from './admission.js';
import { asClipError, checkWanted, newClip, renderJobOf, secondsOf } from './clip.js';
import { mostBytes } from './encode.js';
import { Recording } from './recording.js';
import { ClipStore } from './clip-store.js';
import { RenderQueue } from './render-queue.js';

/** In the data directory. */
export const CLIPS = 'clips';
const TICK_HZ = 60;
/** How often inputs are copied from the matches' mailboxes, which keep them for 8 s. */
const COPY_MS = 1000;

/**
 * @typedef {import('./clip.js').Clip} Clip
 * @typedef {import('./clip.js').Filmed} Filmed
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
   * @param {() => Filmed[]} parts.matches that run
   * @param {Partial<ClipLimits>} [parts.limits]
   * @param {string} [parts.ffmpeg] the program
   * @param {import('../storage/saved-files.js').SavedFiles} [parts.saved] reads the notes of the clips
   */
  constructor({ directory, log, matches, limits, ffmpeg = 'ffmpeg', saved }) {
    super();
    this.directory = directory;
    this.log = log;
    this.#admission = new Admission(limits);
    this.#store = new ClipStore(directory, saved);
    this.#queue = new RenderQueue({
      ...{ store: this.#store, works: this.#works, log, ffmpeg },
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
      this.problem = 'Clips are switched off (--clip-mb 0).';
      return;
    }
    try {
      await this.#store.open();
    } catch (error) {
      this.problem = `No clips can be kept: ${messageOf(error)}.`;
      this.log.warn({ directory: this.directory, error: messageOf(error) }, 'no clips can be kept');
    }
  }

  get limits() {
    return this.#admission.limits;
  }

  /** @returns {Clip[]} the newest first */
  get list() {
    const works = [...this.#works.values()].map(({ clip }) => clip);
    return [...works, ...this.#store.clips].sort((a, b) => b.createdAt - a.createdAt);
  }

  /** Bytes that all clips take, with what is reserved for unfinished ones. */
  get bytes() {
    return this.#usage().bytes;
  }

  /** @param {(clip: Clip) => boolean} counts @returns {import('./admission.js').Usage} */
  #usage(counts = () => true) {
    const works = [...this.#works.values()].filter(({ clip }) => counts(clip));
    const kept = this.#store.clips.filter(counts);
    const reserved = works.reduce((sum, work) => sum + work.reserved, 0);
    return {
      pending: works.filter(({ clip }) => clip.state !== 'failed').length,
      kept: kept.length,
      bytes: kept.reduce((sum, clip) => sum + clip.bytes, reserved),
    };
  }

  /** @param {unknown} id @returns {Clip} @throws {PitvError} PITV_CLIP_UNKNOWN */
  get(id) {
    const clip = this.list.find((one) => one.id === id);
    if (!clip) throw new PitvError('PITV_CLIP_UNKNOWN', 'There is no such clip.');
    return clip;
  }

  /** @param {unknown} id @returns {string} the path of a clip that is ready @throws {PitvError} PITV_CLIP_UNKNOWN */
  fileOf(id) {
    const clip = this.get(id);
    if (clip.state !== 'ready') {
      throw new PitvError('PITV_CLIP_UNKNOWN', 'That clip is not ready.');
    }
    return this.#store.pathOf(clip.id);
  }

  /**
   * Starts a clip.
   * @param {Filmed} match
   * @param {object} wanted
   * @param {'last' | 'now'} [wanted.from] the last seconds, or from now on
   * @param {number} [wanted.seconds] 1..30 of the last, 1..120 from now on
   * @param {number} [wanted.height] 720, 1080
   * @param {string} wanted.owner
   * @param {string} [wanted.client] the key of the address that asks; without it the limits of an
   *   address do not apply
   * @returns {Promise<Clip>} in the state 'recording' or 'waiting'
   * @throws {PitvError} PITV_CLIP_OPTION, PITV_CLIP_EMPTY, PITV_CLIP_BUSY, PITV_CLIP_LIMIT,
   *   PITV_CLIP_SPACE, PITV_DISK_FULL, PITV_CLIP_NOT_KEPT
   */
  async start(match, { from = 'last', seconds, height = 720, owner, client }) {
    const length = checkWanted(from, height, seconds);
    const reserved = mostBytes(length, height);
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
    this.#works.set(work.clip.id, work); // it counts from here on
    this.#admission.note(client ?? owner);
    try {
      await checkDisk(this.directory, reserved);
    } catch (error) {
      this.#drop(work);
      throw error;
    }
    this.emit('change');
    this.#queue.next();
    return work.clip;
  }

  /** @param {{owner: string, client?: string}} by @param {number} reserved bytes */
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

  /** Ends a recording and queues its clip. @param {string} id
   * @throws {PitvError} PITV_CLIP_UNKNOWN */
  finish(id) {
    const work = this.#works.get(id);
    if (!work?.recording) throw new PitvError('PITV_CLIP_UNKNOWN', 'That is not being recorded.');
    this.#endRecording(work);
  }

  /** Ends the recordings of a match that has ended. @param {Filmed} match */
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

  /** Marks a clip as failed. It stays in the list so that screens show why. @param {Work} work @param {unknown} error */
  #fail(work, error) {
    const { clip } = work;
    const { code, message, details } = asClipError(error);
    this.log.warn({ clip: clip.id, code, error: message, details }, 'a clip failed');
    clip.state = 'failed';
    clip.error = { code, message };
    work.reserved = 0;
    const failed = [...this.#works.values()].filter((one) => one.clip.state === 'failed');
    for (const old of failed.slice(0, -this.limits.waiting)) this.#works.delete(old.clip.id);
  }

  /** @param {Work} work */
  #drop(work) {
    work.recording?.drop();
    work.recording = undefined;
    this.#works.delete(work.clip.id);
  }

  /**
   * Deletes a clip, or cancels one that is not ready.
   * @param {string} id
   * @returns {Promise<void>} resolves when its files are gone
   * @throws {PitvError} PITV_CLIP_UNKNOWN
   */
  async remove(id) {
    const { state } = this.get(id);
    const work = this.#works.get(id);
    if (work && state === 'making') {
      work.abort.abort();
      await this.#queue.idle;
      await this.#store.remove(id); // it may have been completed meanwhile
    } else if (work) this.#drop(work);
    else await this.#store.remove(id);
    this.emit('change');
  }

  /** Cancels all unfinished clips. */
  async close() {
    this.#closed = true;
    clearInterval(this.#copyTimer);
    for (const work of this.#works.values()) {
      work.recording?.drop();
      work.recording = undefined;
      work.abort.abort();
    }
    await this.#queue.close();
  }
}
