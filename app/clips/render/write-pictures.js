/** Renders a clip and writes its pictures to a descriptor (rgb24). A full pipe makes it wait. */
import { writeSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { defineBrowserGlobals, packRgb, pictureCount, renderPictures } from './pictures.js';

const RGB_BYTES = 3;
/** Exit status if the reader has closed the pipe. The reader's error is the one to report. */
export const EXIT_PIPE_CLOSED = 3;
/** Number of pictures between two progress reports. */
const PROGRESS_PICTURES = 5;

/**
 * Renders a clip. Ends the process if the reader has closed the pipe.
 * @param {import('./pictures.js').RenderJob} job
 * @param {number} fd
 * @param {(done: number) => void} onProgress is called with the number of pictures that are written
 */
export async function writePictures(job, fd, onProgress) {
  defineBrowserGlobals(undefined, job.language);
  const picture = Buffer.alloc(job.width * job.height * RGB_BYTES);
  const pictures = pictureCount(job);
  let done = 0;
  for await (const { canvas } of renderPictures(job)) {
    packRgb(canvas, picture);
    writeFully(fd, picture);
    done++;
    if (done % PROGRESS_PICTURES === 0 || done === pictures) onProgress(done);
    await nextTurn();
    if (done === pictures) break;
  }
}

/** Writes all bytes, and waits while the pipe is full. @param {number} fd @param {Buffer} bytes */
function writeFully(fd, bytes) {
  for (let at = 0; at < bytes.length;) {
    try {
      at += writeSync(fd, bytes, at);
    } catch (error) {
      const { code } = /** @type {NodeJS.ErrnoException} */ (error);
      if (code === 'EPIPE') process.exit(EXIT_PIPE_CLOSED);
      if (code !== 'EAGAIN') throw error;
    }
  }
}
