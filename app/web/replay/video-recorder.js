/** Records a canvas as a video, in the browser. */

const FPS = 30;
const BITS_PER_SECOND = 6_000_000;
/** The first one that the browser can write is used. MP4 is what phones share best. */
const TYPES = ['video/mp4;codecs=avc1.42E01F', 'video/mp4', 'video/webm;codecs=vp9', 'video/webm'];

/** Returns the type of the videos that this browser can record. @returns {string} empty if it can record none */
export function videoType() {
  if (!('MediaRecorder' in globalThis) || !HTMLCanvasElement.prototype.captureStream) return '';
  return TYPES.find((type) => MediaRecorder.isTypeSupported(type)) ?? '';
}

export class VideoRecorder {
  #recorder;
  /** @type {Blob[]} */
  #parts = [];
  #onVisibility = () => {
    // The page draws nothing while it is hidden.
    if (this.#recorder.state === 'inactive') return;
    if (document.visibilityState === 'hidden') this.#recorder.pause();
    else this.#recorder.resume();
  };

  /** Starts to record. @param {HTMLCanvasElement} canvas @param {string} type see videoType() */
  constructor(canvas, type) {
    this.type = type.split(';')[0];
    this.#recorder = new MediaRecorder(canvas.captureStream(FPS), {
      mimeType: type,
      videoBitsPerSecond: BITS_PER_SECOND,
    });
    this.#recorder.ondataavailable = ({ data }) => void this.#parts.push(data);
    this.#recorder.start();
    document.addEventListener('visibilitychange', this.#onVisibility);
  }

  /**
   * Ends the recording.
   * @param {string} name of the file, without an extension
   * @returns {Promise<File>} rejects if nothing was recorded
   */
  async stop(name) {
    document.removeEventListener('visibilitychange', this.#onVisibility);
    await new Promise((resolve, reject) => {
      this.#recorder.onstop = resolve;
      this.#recorder.onerror = reject;
      this.#recorder.stop();
    });
    if (!this.#parts.some(({ size }) => size > 0)) throw new Error('The video is empty.');
    return new File(this.#parts, `${name}.${this.type.slice('video/'.length)}`, {
      type: this.type,
    });
  }
}
