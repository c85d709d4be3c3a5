/** Makes an MP4: a child process renders the pictures, and ffmpeg reads them from its stdout. */
import { readdirSync } from 'node:fs';
import os from 'node:os';
import { fileURLToPath } from 'node:url';
import { PitvError } from '../errors.js';

const RENDERER = fileURLToPath(new URL('render/main.js', import.meta.url));
/** Matches have priority. */
const NICENESS = 15;
/** Height -> maximum bit rate, bit/s. One second takes 100 to 400 KB. */
export const BITRATES = Object.freeze(
  /** @type {Record<number, number>} */ ({ 720: 4e6, 1080: 8e6 }),
);
/** Space for the container's tables: a factor and a constant. */
const OVERHEAD = 1.15;
const OVERHEAD_BYTES = 64 * 1024;
/** Exit status of the renderer if ffmpeg has closed the pipe, see render/main.js. */
const EXIT_PIPE_CLOSED = 3;
const NO_SPACE = /no space left|disk quota exceeded|file too large/i;
/** Limit of the renderer's heap, MiB. */
const HEAP_MB = 192;

/** @typedef {import('./render/pictures.js').RenderJob} RenderJob */

/** Returns the maximum size of a clip. @param {number} seconds @param {number} height @returns {number} bytes */
export function maxClipBytes(seconds, height) {
  return Math.ceil(((BITRATES[height] * seconds) / 8) * OVERHEAD + OVERHEAD_BYTES);
}

/** @param {RenderJob} job @param {string} file @returns {string[]} */
function ffmpegArguments({ width, height, fps }, file) {
  const rate = BITRATES[height];
  return [
    ...['-v', 'error', '-xerror', '-nostdin', '-y'],
    ...['-f', 'rawvideo', '-pix_fmt', 'rgb24', '-s', `${width}x${height}`, '-r', `${fps}`],
    ...['-i', 'pipe:0', '-vf', 'scale=out_color_matrix=bt709:out_range=tv,format=yuv420p'],
    ...['-colorspace', 'bt709', '-color_primaries', 'bt709', '-color_trc', 'bt709'],
    ...['-c:v', 'libx264', '-preset', 'veryfast', '-threads', '2'],
    ...['-crf', '21', '-maxrate', `${rate}`, '-bufsize', `${rate}`],
    ...['-movflags', '+faststart', '-f', 'mp4', file],
  ];
}

/**
 * Renders and encodes a clip.
 * @param {RenderJob} job
 * @param {string} file path; the file is overwritten, and incomplete after an error
 * @param {object} [options]
 * @param {string} [options.ffmpeg] the program
 * @param {AbortSignal} [options.signal]
 * @param {(share: number) => void} [options.onProgress] called with the share of the work that is done, 0..1
 * @throws {PitvError} PITV_PROGRAM_MISSING without ffmpeg, PITV_DISK_FULL, PITV_CLIP_FAILED if a child process fails,
 *   PITV_CLIP_CANCELLED
 */
export async function encode(job, file, { ffmpeg = 'ffmpeg', signal, onProgress } = {}) {
  // Loaded here, because most starts of a TV do not need them.
  const [{ connectChildren }, { pictureCount }] = await Promise.all([
    import('../process/child-pipe.js'),
    import('./render/pictures.js'),
  ]);
  if (signal?.aborted) throw cancelledError();
  const [renderer, encoder] = await connectChildren(
    {
      command: process.execPath,
      args: [`--max-old-space-size=${HEAP_MB}`, RENDERER],
      options: { ipc: true, niceness: NICENESS },
    },
    { command: ffmpeg, args: ffmpegArguments(job, file), options: { niceness: NICENESS } },
  );
  const stop = () => void Promise.all([renderer.stop(), encoder.stop()]);
  signal?.addEventListener('abort', stop, { once: true });
  if (signal?.aborted) stop();
  let pictures = 0;
  renderer.process.on('message', (/** @type {any} */ { done, pictures: all }) => {
    pictures = done;
    lowerThreads(renderer.pid);
    onProgress?.(done / all);
  });
  renderer.process.on('error', () => {}); // `exited` reports it
  renderer.process.send(job, () => {});
  const [rendered, encoded] = await Promise.all([renderer.exited, encoder.exited]);
  signal?.removeEventListener('abort', stop);
  if (signal?.aborted) throw cancelledError();
  if (encoded.code !== 0 || NO_SPACE.test(encoded.stderrTail)) throw encoderError(encoded);
  if (rendered.code !== 0 || pictures < pictureCount(job)) throw renderError(rendered);
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
      : signal
        ? `it was ended by ${signal}`
        : (stderrTail.split('\n').find((line) => /^\w*Error\b/.test(line)) ??
          `exit status ${code}`);
  return new PitvError(
    'PITV_CLIP_FAILED',
    `The match could not be replayed: ${how.trim().slice(0, 200)}. Try again.`,
    { details: { code, signal, words: stderrTail } },
  );
}

/**
 * Lowers the priority of all threads of a process. Node.js starts some of them before the priority of its main thread is
 * lowered.
 * @param {number} pid
 */
function lowerThreads(pid) {
  try {
    for (const thread of readdirSync(`/proc/${pid}/task`)) os.setPriority(Number(thread), NICENESS);
  } catch {
    // The process has ended.
  }
}
