/** Makes the waiting clips one after the other. */
import { messageOf } from '../errors.js';
import { encode } from './encode.js';

/**
 * @typedef {object} Work a clip that is not ready
 * @property {import('./clip.js').Clip} clip
 * @property {number} reserved bytes
 * @property {AbortController} abort
 * @property {import('./render/pictures.js').RenderJob} [job]
 * @property {import('./recording.js').Recording} [recording]
 */

export class RenderQueue {
  #parts;
  #busy = false;
  #closed = false;
  /** Resolves when the current clip is made, failed or cancelled. @type {Promise<void>} */
  idle = Promise.resolve();

  /**
   * @param {object} parts
   * @param {import('./clip-store.js').ClipStore} parts.store
   * @param {Map<string, Work>} parts.works by clip id, in order; finished and cancelled ones are removed
   * @param {import('pino').Logger} parts.log
   * @param {string} parts.ffmpeg the program
   * @param {string} [parts.language] of the texts in the pictures
   * @param {() => void} parts.changed called when a clip has changed
   * @param {(work: Work, error: unknown) => void} parts.failed
   */
  constructor(parts) {
    this.#parts = parts;
  }

  /** Starts the first waiting clip unless one is being made. */
  next() {
    if (this.#busy || this.#closed) return;
    const work = [...this.#parts.works.values()].find(({ clip }) => clip.state === 'waiting');
    if (!work) return;
    this.#busy = true;
    this.idle = this.#make(work).finally(() => {
      this.#busy = false;
      this.next();
    });
  }

  /** Starts no more clips. @returns {Promise<void>} resolves when the current one has ended */
  close() {
    this.#closed = true;
    return this.idle;
  }

  /** @param {Work} work */
  async #make(work) {
    const { store, works, log, ffmpeg, language, changed, failed } = this.#parts;
    const { clip, job, abort } = work;
    const began = performance.now();
    clip.state = 'making';
    changed();
    try {
      const file = store.temporaryOf(clip.id);
      const whole = /** @type {import('./render/pictures.js').RenderJob} */ (job);
      await encode({ ...whole, language }, file, {
        ffmpeg,
        signal: abort.signal,
        onProgress: (share) => {
          clip.done = share;
          changed();
        },
      });
      await store.put(clip);
      works.delete(clip.id);
      const tookS = (performance.now() - began) / 1000;
      const { seconds, bytes } = clip;
      log.info({ clip: clip.id, seconds, bytes, tookS }, 'a clip is ready');
    } catch (error) {
      if (abort.signal.aborted) works.delete(clip.id);
      else failed(work, error);
    } finally {
      work.job = undefined;
      await store.removeTemporary(clip.id).catch((error) => {
        log.warn({ clip: clip.id, error: messageOf(error) }, 'a temporary file was not deleted');
      });
      changed();
    }
  }
}
