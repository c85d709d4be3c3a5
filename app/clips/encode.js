/** Makes an MP4 out of a scene: one child films it, ffmpeg takes the pictures from that one's stdout. */
import { readdirSync } from 'node:fs';
import os from 'node:os';
import { fileURLToPath } from 'node:url';
import { PitvError } from '../errors.js';

const FILM = fileURLToPath(new URL('render/main.js', import.meta.url));
/** Matches come first, and everything else too. */
const NICENESS = 15;
/** What a clip takes at the most, by its height. A second of play is 100 to 400 KB. */
export const BITRATES = Object.freeze(
  /** @type {Record<number, number>} */ ({ 720: 4e6, 1080: 8e6 }),
);
/** Over that, for the file's own tables. */
const OVERHEAD = 1.15;
const OVERHEAD_BYTES = 64 * 1024;
/** Exit status of the filming child when nobody takes its pictures: then ffmpeg is to blame. */
const NOBODY_READS = 3;
const NO_SPACE = /no space left|disk quota exceeded|file too large/i;
/** So much memory at least for the filming child's heap, MiB. */
const HEAP_MB = 192;

/** @typedef {import('./render/film.js').Scene} Scene */

/** @param {number} seconds @param {number} height @returns {number} bytes that the file has at the most */
export function mostBytes(seconds, height) {
  return Math.ceil(((BITRATES[height] * seconds) / 8) * OVERHEAD + OVERHEAD_BYTES);
}

/** @param {Scene} scene @param {string} file @returns {string[]} */
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
 * @param {Scene} scene
 * @param {string} file is written over; whatever is there after an error is of no use
 * @param {object} [options]
 * @param {string} [options.ffmpeg] the program
 * @param {AbortSignal} [options.signal]
 * @param {(share: number) => void} [options.onProgress] 0..1
 * @throws {PitvError} PITV_PROGRAM_MISSING: there is no ffmpeg; PITV_DISK_FULL; PITV_CLIP_FAILED: a
 *   child died, or could not do it; PITV_CLIP_CANCELLED
 */
export async function encode(scene, file, { ffmpeg = 'ffmpeg', signal, onProgress } = {}) {
  // Loaded for the first clip, not at each start of a TV.
  const [{ direct }, { pictureCount }] = await Promise.all([
    import('../process/child-pipe.js'),
    import('./render/film.js'),
  ]);
  if (signal?.aborted) throw cancelled();
  const [filming, encoder] = await direct(
    {
      command: process.execPath,
      args: [`--max-old-space-size=${HEAP_MB}`, FILM],
      options: { ipc: true, niceness: NICENESS },
    },
    { command: ffmpeg, args: ffmpegArguments(scene, file), options: { niceness: NICENESS } },
  );
  const stop = () => void Promise.all([filming.stop(), encoder.stop()]);
  signal?.addEventListener('abort', stop, { once: true });
  if (signal?.aborted) stop();
  let pictures = 0;
  filming.process.on('message', (/** @type {any} */ { done, pictures: all }) => {
    pictures = done;
    lowerThreads(filming.pid);
    onProgress?.(done / all);
  });
  filming.process.on('error', () => {}); // it has ended; how is told below
  filming.process.send(scene, () => {});
  const [film, made] = await Promise.all([filming.exited, encoder.exited]);
  signal?.removeEventListener('abort', stop);
  if (signal?.aborted) throw cancelled();
  if (made.code !== 0 || NO_SPACE.test(made.words)) throw encoderError(made);
  if (film.code !== 0 || pictures < pictureCount(scene)) throw filmError(film);
}

const cancelled = () => new PitvError('PITV_CLIP_CANCELLED', 'The clip was cancelled.');

/** @param {string} [words] of who found out */
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
function filmError({ code, signal, words }) {
  const how =
    code === NOBODY_READS
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

/** Node's helper threads had begun before the child's priority was lowered. @param {number} pid */
function lowerThreads(pid) {
  try {
    for (const thread of readdirSync(`/proc/${pid}/task`)) os.setPriority(Number(thread), NICENESS);
  } catch {
    // It has ended.
  }
}
