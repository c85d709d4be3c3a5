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

/**
 * Starts to record.
 * @param {HTMLCanvasElement} canvas @param {string} type see videoType()
 * @returns {(name: string) => Promise<File>} ends the recording; name: of the file, without an extension. Rejects if
 *   nothing was recorded
 */
export function recordVideo(canvas, type) {
  const recorder = new MediaRecorder(canvas.captureStream(FPS), {
    mimeType: type,
    videoBitsPerSecond: BITS_PER_SECOND,
  });
  /** @type {Blob[]} */
  const parts = [];
  const onVisibility = () => {
    // The page draws nothing while it is hidden.
    if (recorder.state === 'inactive') return;
    if (document.visibilityState === 'hidden') recorder.pause();
    else recorder.resume();
  };
  recorder.ondataavailable = ({ data }) => void parts.push(data);
  recorder.start();
  document.addEventListener('visibilitychange', onVisibility);
  return async (name) => {
    document.removeEventListener('visibilitychange', onVisibility);
    await new Promise((resolve, reject) => {
      recorder.onstop = resolve;
      recorder.onerror = reject;
      recorder.stop();
    });
    if (!parts.some(({ size }) => size > 0)) throw new Error('The video is empty.');
    const [plain] = type.split(';');
    return new File(parts, `${name}.${plain.slice('video/'.length)}`, { type: plain });
  };
}
