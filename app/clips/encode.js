/** Makes an MP4: one child renders the pictures, ffmpeg reads them from that child's stdout. */
import { readdirSync } from 'node:fs';
import os from 'node:os';
import { fileURLToPath } from 'node:url';
import { PitvError } from '../errors.js';

const RENDERER = fileURLToPath(new URL('render/main.js', import.meta.url));
/** Matches have priority. */
const NICENESS = 15;
/** Maximum bit rate by height, bit/s. A second of play takes 100 to 400 KB. */
export const BITRATES = Object.freeze(
  /** @type {Record<number, number>} */ ({ 720: 4e6, 1080: 8e6 }),
);
/** Room for the container's tables: a factor and a constant. */
const OVERHEAD = 1.15;
const OVERHEAD_BYTES = 64 * 1024;
/** Exit status of the renderer when ffmpeg closed the pipe, see render/main.js. */
const EXIT_PIPE_CLOSED = 3;
const NO_SPACE = /no space left|disk quota exceeded|file too large/i;
/** Limit of the renderer's heap, MiB. */
const HEAP_MB = 192;

/** @typedef {import('./render/pictures.js').RenderJob} RenderJob */

/** @param {number} seconds @param {number} height @returns {number} maximum size of the file, bytes */
export function mostBytes(seconds, height) {
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
 * @param {RenderJob} job
 * @param {string} file is overwritten; incomplete after an error
 * @param {object} [options]
 * @param {string} [options.ffmpeg] the program
 * @param {AbortSignal} [options.signal]
 * @param {(share: number) => void} [options.onProgress] 0..1
 * @throws {PitvError} PITV_PROGRAM_MISSING: there is no ffmpeg; PITV_DISK_FULL; PITV_CLIP_FAILED: a
 *   child died, or could not do it; PITV_CLIP_CANCELLED
 */
export async function encode(job, file, { ffmpeg = 'ffmpeg', signal, onProgress } = {}) {
  // Loaded for the first clip, not at each start of a TV.
  const [{ direct }, { pictureCount }] = await Promise.all([
    import('../process/child-pipe.js'),
    import('./render/pictures.js'),
  ]);
  if (signal?.aborted) throw cancelled();
  const [renderer, encoder] = await direct(
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
  if (signal?.aborted) throw cancelled();
  if (encoded.code !== 0 || NO_SPACE.test(encoded.words)) throw encoderError(encoded);
  if (rendered.code !== 0 || pictures < pictureCount(job)) throw renderError(rendered);
}

const cancelled = () => new PitvError('PITV_CLIP_CANCELLED', 'The clip was cancelled.');

/** @param {string} [words] what the program that failed printed */
export function diskFull(words) {
  return new PitvError(
    'PITV_DISK_FULL',
    'The TV’s disk is full. Delete clips, or make room on it, then try again.',
    { details: { words } },
  );
}

/** @param {import('../process/child-pipe.js').Exit} exit */
function encoderError({ code, signal, words }) {
  if (NO_SPACE.test(words)) return diskFull(words);
  const how = signal ? `was ended by ${signal}` : `failed (exit status ${code})`;
  const why = words.split('\n').pop() || 'it did not say why';
  return new PitvError(
    'PITV_CLIP_FAILED',
    `ffmpeg ${how}: ${why.slice(0, 200)}. Try again; if it fails again, look at this machine's memory.`,
    { details: { code, signal, words } },
  );
}

/** @param {import('../process/child-pipe.js').Exit} exit */
function renderError({ code, signal, words }) {
  const how =
    code === EXIT_PIPE_CLOSED
      ? 'ffmpeg stopped reading'
      : signal
        ? `it was ended by ${signal}`
        : (words.split('\n').find((line) => /^\w*Error\b/.test(line)) ?? `exit status ${code}`);
  return new PitvError(
    'PITV_CLIP_FAILED',
    `The match could not be played again: ${how.trim().slice(0, 200)}. Try again.`,
    { details: { code, signal, words } },
  );
}

/** Lowers the priority of the threads that Node.js started before the child's own was lowered. @param {number} pid */
function lowerThreads(pid) {
  try {
    for (const thread of readdirSync(`/proc/${pid}/task`)) os.setPriority(Number(thread), NICENESS);
  } catch {
    // It has ended.
  }
}
