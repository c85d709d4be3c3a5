/** Makes an MP4: a child process renders the pictures, and ffmpeg reads them from its stdout. */
import { PitvError } from '../errors.js';

/** Height -> maximum bit rate, bit/s. One second takes 100 to 400 KB. */
export const BITRATES = Object.freeze(
  /** @type {Record<number, number>} */ ({ 720: 4e6, 1080: 8e6 }),
);
/** Space for the container's tables: a factor and a constant. */
const OVERHEAD = 1.15;
const OVERHEAD_BYTES = 64 * 1024;
/** Exit status of the renderer if ffmpeg has closed the pipe, see render/write-pictures.js. */
const EXIT_PIPE_CLOSED = 3;
const NO_SPACE = /no space left|disk quota exceeded|file too large/i;

/** @typedef {import('./render/pictures.js').RenderJob} RenderJob */

/** Returns the maximum size of a clip. @param {number} seconds @param {number} height @returns {number} bytes */
export function maxClipBytes(seconds, height) {
  return Math.ceil(((BITRATES[height] * seconds) / 8) * OVERHEAD + OVERHEAD_BYTES);
}

/** @param {RenderJob} job @param {number} pictures @param {string} file @returns {string[]} */
function ffmpegArguments({ width, height, fps }, pictures, file) {
  const rate = BITRATES[height];
  return [
    '-v',
    'error',
    '-xerror',
    '-nostdin',
    '-y',
    '-f',
    'rawvideo',
    '-pix_fmt',
    'rgb24',
    '-s',
    `${width}x${height}`,
    '-r',
    `${fps}`,
    '-i',
    'pipe:0',
    '-vf',
    'scale=out_color_matrix=bt709:out_range=tv,format=yuv420p',
    '-frames:v',
    `${pictures}`,
    '-colorspace',
    'bt709',
    '-color_primaries',
    'bt709',
    '-color_trc',
    'bt709',
    '-c:v',
    'libx264',
    '-preset',
    'veryfast',
    '-threads',
    '2',
    '-crf',
    '21',
    '-maxrate',
    `${rate}`,
    '-bufsize',
    `${rate}`,
    '-movflags',
    '+faststart',
    '-f',
    'mp4',
    file,
  ];
}

/**
 * Renders and encodes a clip.
 * @param {RenderJob} job
 * @param {string} file path; the file is overwritten, and incomplete after an error
 * @param {object} [options]
 * @param {string} [options.ffmpeg] the program
 * @param {AbortSignal} [options.signal]
 * @param {number} [options.stallMs] see startPrograms()
 * @param {(share: number) => void} [options.onProgress] called with the share of the work that is done, 0..1
 * @throws {PitvError} PITV_PROGRAM_MISSING without ffmpeg, PITV_DISK_FULL, PITV_CLIP_FAILED if a child process fails,
 *   PITV_CLIP_CANCELLED
 */
export async function encode(job, file, { ffmpeg = 'ffmpeg', signal, stallMs, onProgress } = {}) {
  // Loaded here, because most starts of a TV do not need them.
  const [{ startPrograms, NICENESS }, { pictureCount }] = await Promise.all([
    import('./start-programs.js'),
    import('./render/pictures.js'),
  ]);
  if (signal?.aborted) throw cancelledError();
  const pictures = await decodeArt(job.art, { ffmpeg, signal, niceness: NICENESS });
  if (signal?.aborted) throw cancelledError();
  const count = pictureCount(job);
  let done = 0;
  const [renderer, encoder] = await startPrograms(
    { ...job, pictures },
    { command: ffmpeg, args: ffmpegArguments(job, count, file) },
    {
      stallMs,
      onProgress(pictures) {
        done = Math.min(pictures, count);
        onProgress?.(done / count);
      },
    },
  );
  const stop = () => void Promise.all([renderer.stop(), encoder.stop()]);
  signal?.addEventListener('abort', stop, { once: true });
  if (signal?.aborted) stop();
  const [rendered, encoded] = await Promise.all([renderer.exited, encoder.exited]);
  signal?.removeEventListener('abort', stop);
  if (signal?.aborted) throw cancelledError();
  const stopped = rendered.code !== 0 && rendered.code !== EXIT_PIPE_CLOSED;
  if (stopped && job.lock) throw renderError(rendered); // ffmpeg got no end of its input, or nothing
  if (encoded.code !== 0 || NO_SPACE.test(encoded.stderrTail)) throw encoderError(encoded);
  if (rendered.code !== 0 || done < count) throw renderError(rendered);
}

/**
 * @param {RenderJob['art']} art
 * @param {import('./decode-pictures.js').How} how
 * @returns {Promise<RenderJob['pictures']>}
 */
async function decodeArt(art, how) {
  if (!art) return undefined;
  const { decodePictures } = await import('./decode-pictures.js');
  return decodePictures(art, how);
}

const cancelledError = () => new PitvError('PITV_CLIP_CANCELLED', 'The clip was cancelled.');

/** Makes the error for a full disk. @param {string} [stderrTail] output of the program that failed */
export function diskFullError(stderrTail) {
  return new PitvError(
    'PITV_DISK_FULL',
    'The TV’s disk is full. Delete clips or other files, then try again.',
    { details: { words: stderrTail } },
  );
}

/** @param {import('../process/child-pipe.js').Exit} exit */
function encoderError({ code, signal, stderrTail }) {
  if (NO_SPACE.test(stderrTail)) return diskFullError(stderrTail);
  const how = signal ? `was ended by ${signal}` : `failed (exit status ${code})`;
  const why = stderrTail.split('\n').pop() || 'no message';
  return new PitvError(
    'PITV_CLIP_FAILED',
    `ffmpeg ${how}: ${why.slice(0, 200)}. Try again. If it fails again, check how much memory the machine has free.`,
    { details: { code, signal, words: stderrTail } },
  );
}

/** @param {import('../process/child-pipe.js').Exit} exit */
function renderError({ code, signal, stderrTail }) {
  const how =
    code === EXIT_PIPE_CLOSED
      ? 'ffmpeg stopped reading'
      : (stderrTail.split('\n').find((line) => /^\w*Error\b/.test(line)) ??
        (signal ? `it was ended by ${signal}` : `exit status ${code}`));
  return new PitvError(
    'PITV_CLIP_FAILED',
    `The match could not be replayed: ${how.trim().slice(0, 200)}. Try again.`,
    { details: { code, signal, words: stderrTail } },
  );
}
