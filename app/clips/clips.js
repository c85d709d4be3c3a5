/**
 * The TV's clips: what is being recorded, waits, is being made, or is there. One at a time is made, at
 * the lowest priority; all of them together have a bound on number and space. A clip's file appears
 * under its name when it is whole, and not before.
 */
import { EventEmitter } from 'node:events';
import { PitvError, messageOf } from '../errors.js';
import { Admission, checkDisk } from './admission.js';
import { asClipError, checkWanted, newClip, sceneOf, secondsOf } from './clip.js';
import { encode, mostBytes } from './encode.js';
import { Recording } from './recording.js';
import { Shelf } from './shelf.js';

/** In the data directory. */
export const CLIPS = 'clips';
const TICK_HZ = 60;
/** How often what matches did is taken over from their mailboxes, which keep it for 8 s. */
const TAKE_MS = 1000;

/**
 * @typedef {import('./clip.js').Clip} Clip
 * @typedef {import('./clip.js').Filmed} Filmed
 * @typedef {import('./admission.js').ClipLimits} ClipLimits
 */

/**
 * @typedef {object} Work
 * @property {Clip} clip
 * @property {number} reserved bytes
 * @property {AbortController} abort
 * @property {import('./render/film.js').Scene} [scene]
 * @property {Recording} [recording]
 */

/** Emits 'change' when something about any clip has. */
export class Clips extends EventEmitter {
  /** @type {Map<string, Work>} those that are not ready yet */
  #works = new Map();
  #admission;
  #shelf;
  #making = false;
  #closed = false;
  /** @type {Promise<void>} */
  #turn = Promise.resolve();
  #takeTimer;
  /** Why no clip can be kept, if so. @type {string | undefined} */
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
    this.ffmpeg = ffmpeg;
    this.#shelf = new Shelf(directory, saved);
    this.#takeTimer = setInterval(() => {
      for (const match of matches()) match.record();
      if ([...this.#works.values()].some(({ recording }) => recording)) this.#tellRecorded();
    }, TAKE_MS).unref();
  }

  /** Finds the clips of earlier, throws away what was not finished. */
  async open() {
    if (this.limits.bytes === 0) {
      this.problem = 'Clips are switched off (--clip-mb 0).';
      return;
    }
    try {
      await this.#shelf.open();
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
    return [...works, ...this.#shelf.clips].sort((a, b) => b.createdAt - a.createdAt);
  }

  /** What all of them take, or may come to take. */
  get bytes() {
    return this.#usage().bytes;
  }

  /** @param {(clip: Clip) => boolean} counts @returns {import('./admission.js').Usage} */
  #usage(counts = () => true) {
    const works = [...this.#works.values()].filter(({ clip }) => counts(clip));
    const kept = this.#shelf.clips.filter(counts);
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
    return this.#shelf.pathOf(clip.id);
  }

  /**
   * @param {Filmed} match
   * @param {object} wanted
   * @param {'last' | 'now'} [wanted.from] the last seconds, or from now on
   * @param {number} [wanted.seconds] 1..30 of the last, 1..120 from now on
   * @param {number} [wanted.height] 720, 1080
   * @param {string} wanted.owner
   * @param {string} [wanted.client] the key of the address that asks; without it the limits of an
   *   address do not apply
   * @returns {Promise<Clip>} that is recorded, or waits
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
      work.scene = sceneOf(match, height, lastTick - length * TICK_HZ);
      work.clip.seconds = secondsOf(work.scene);
    } else {
      work.recording = new Recording(match, length, () => this.#endRecording(work));
      work.clip.state = 'recording';
    }
    this.#works.set(work.clip.id, work); // from here on it counts
    this.#admission.note(client ?? owner);
    try {
      await checkDisk(this.directory, reserved);
    } catch (error) {
      this.#drop(work);
      throw error;
    }
    this.emit('change');
    this.#next();
    return work.clip;
  }

  /** @param {{owner: string, client?: string}} by @param {number} reserved bytes */
  #admit({ owner, client }, reserved) {
    if (this.problem || this.#closed) {
      throw new PitvError('PITV_CLIP_NOT_KEPT', this.problem ?? 'The TV goes off.');
    }
    const own = client === undefined ? undefined : this.#usage((clip) => clip.client === client);
    this.#admission.check(client ?? owner, reserved, this.#usage(), own);
  }

  // Recordings.

  #tellRecorded() {
    for (const { clip, recording } of this.#works.values()) {
      if (recording) clip.seconds = Math.floor((Date.now() - clip.createdAt) / 1000);
    }
    this.emit('change');
  }

  /** A recording is over: what there is of it is made into a clip. @param {string} id
   * @throws {PitvError} PITV_CLIP_UNKNOWN */
  finish(id) {
    const work = this.#works.get(id);
    if (!work?.recording) throw new PitvError('PITV_CLIP_UNKNOWN', 'That is not being recorded.');
    this.#endRecording(work);
  }

  /** @param {Filmed} match that ends: what is recorded of it ends too */
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
      work.scene = recording.end(clip.height);
      clip.seconds = secondsOf(work.scene);
      clip.state = 'waiting';
    } catch (error) {
      this.#fail(work, error);
    }
    this.emit('change');
    this.#next();
  }

  // One after the other.

  #next() {
    if (this.#making || this.#closed) return;
    const work = [...this.#works.values()].find(({ clip }) => clip.state === 'waiting');
    if (!work) return;
    this.#making = true;
    this.#turn = this.#make(work).finally(() => {
      this.#making = false;
      this.#next();
    });
  }

  /** @param {Work} work */
  async #make(work) {
    const { clip, scene, abort } = work;
    const began = performance.now();
    clip.state = 'making';
    this.emit('change');
    try {
      const file = this.#shelf.temporaryOf(clip.id);
      await encode(/** @type {import('./render/film.js').Scene} */ (scene), file, {
        ffmpeg: this.ffmpeg,
        signal: abort.signal,
        onProgress: (share) => {
          clip.done = share;
          this.emit('change');
        },
      });
      await this.#shelf.put(clip);
      this.#works.delete(clip.id);
      const tookS = (performance.now() - began) / 1000;
      this.log.info(
        { clip: clip.id, seconds: clip.seconds, bytes: clip.bytes, tookS },
        'a clip is ready',
      );
    } catch (error) {
      if (abort.signal.aborted) this.#works.delete(clip.id);
      else this.#fail(work, error);
    } finally {
      work.scene = undefined;
      await this.#shelf.clean(clip.id).catch((error) => {
        this.log.warn({ clip: clip.id, error: messageOf(error) }, 'a temporary file is left');
      });
      this.emit('change');
    }
  }

  /** It stays in the list for a while, to be seen. @param {Work} work @param {unknown} error */
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
   * Deletes a clip, or cancels what is not ready.
   * @param {string} id
   * @returns {Promise<void>} when nothing of it is left
   * @throws {PitvError} PITV_CLIP_UNKNOWN
   */
  async remove(id) {
    const { state } = this.get(id);
    const work = this.#works.get(id);
    if (work && state === 'making') {
      work.abort.abort();
      await this.#turn;
      await this.#shelf.remove(id); // it may just have been finished
    } else if (work) this.#drop(work);
    else await this.#shelf.remove(id);
    this.emit('change');
  }

  /** Ends what is under way. */
  async close() {
    this.#closed = true;
    clearInterval(this.#takeTimer);
    for (const work of this.#works.values()) {
      work.recording?.drop();
      work.recording = undefined;
      work.abort.abort();
    }
    await this.#turn;
  }
}
