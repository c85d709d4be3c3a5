/**
 * Decodes the pictures of a package, so that clips show them. ffmpeg does it. Its files are locked where that is
 * possible, because the pictures are those of strangers.
 */
import { execFile } from 'node:child_process';
import os from 'node:os';
import { basename } from 'node:path';
import { lockedEnvironment } from '../engine/host/locked-process.js';
import { missingForLock } from '../engine/lock-support.js';
import { LIMITS } from '../limits/table.js';
import { readPicture } from '../packages/pictures.js';

/** All pictures of a clip together have at most as many pixels. Larger pictures are made smaller. */
const MAX_PIXELS = 6 * 1024 * 1024;
const RGBA_BYTES = 4;
const HEADER_BYTES = 256;
/** Time to decode a picture, which a loaded Pi 1 does within seconds. */
const TIMEOUT_MS = 60_000;

/**
 * @typedef {{folder: string, names: string[]}} Art folder: of the package; names: such as art/ball.png
 * @typedef {{name: string, width: number, height: number, pixels: Uint8Array}} RawPicture pixels: r, g, b, a, not
 *   premultiplied
 * @typedef {{ffmpeg: string, niceness: number, signal?: AbortSignal}} How ffmpeg: the program
 */

/**
 * Decodes pictures one after the other.
 * @param {Art} art
 * @param {How} how
 * @returns {Promise<RawPicture[]>} without those that cannot be read or decoded: bodies have their looks then
 */
export async function decodePictures({ folder, names }, how) {
  const side = Math.floor(Math.min(LIMITS.pictureSide.value, Math.sqrt(MAX_PIXELS / names.length)));
  const pictures = [];
  for (const name of names) {
    if (how.signal?.aborted) break;
    try {
      const { bytes, type } = await readPicture(folder, basename(name));
      pictures.push({ name, ...parsePam(await decode(bytes, type, side, how)) });
    } catch {
      // The picture is left out.
    }
  }
  return pictures;
}

/**
 * @param {Buffer} bytes @param {string} type MIME type @param {number} side maximum width and height, px
 * @param {How} how
 * @returns {Promise<Buffer>} a PAM file
 */
function decode(bytes, type, side, { ffmpeg, niceness, signal }) {
  const args = [
    '-v',
    'error',
    '-nostdin',
    '-protocol_whitelist',
    'pipe',
    '-threads',
    '1',
    '-max_pixels',
    String(LIMITS.pictureSide.value ** 2),
    '-f',
    type === 'image/png' ? 'png_pipe' : 'webp_pipe',
    '-i',
    'pipe:0',
    '-vf',
    `scale='min(${side},iw)':'min(${side},ih)':force_original_aspect_ratio=decrease:flags=area`,
    '-frames:v',
    '1',
    '-pix_fmt',
    'rgba',
    '-c:v',
    'pam',
    '-f',
    'image2pipe',
    'pipe:1',
  ];
  return new Promise((resolve, reject) => {
    const child = execFile(
      ffmpeg,
      args,
      {
        env: missingForLock() ? process.env : lockedEnvironment([]),
        encoding: 'buffer',
        maxBuffer: RGBA_BYTES * side * side + HEADER_BYTES,
        timeout: TIMEOUT_MS,
        killSignal: 'SIGKILL',
        signal,
      },
      (error, stdout) => (error ? reject(error) : resolve(stdout)),
    );
    child.once('spawn', () => os.setPriority(Number(child.pid), niceness));
    child.stdin?.on('error', () => {}); // it has ended
    child.stdin?.end(bytes);
  });
}

/** Parses a PAM file (Netpbm). @param {Buffer} bytes @returns {Omit<RawPicture, 'name'>} @throws {Error} */
function parsePam(bytes) {
  const head =
    /^P7\nWIDTH (\d+)\nHEIGHT (\d+)\nDEPTH 4\nMAXVAL 255\nTUPLTYPE RGB_ALPHA\nENDHDR\n/.exec(
      bytes.toString('latin1', 0, HEADER_BYTES),
    );
  const [width, height] = [Number(head?.[1]), Number(head?.[2])];
  const pixels = new Uint8Array(bytes.subarray(head?.[0].length));
  if (!(width > 0) || pixels.length !== width * height * RGBA_BYTES) throw new Error('not a PAM');
  return { width, height, pixels };
}
