/**
 * The process that renders a clip. It receives a render job as a message, writes the pictures to stdout
 * (rgb24), and reports its progress. A full pipe makes it wait.
 */
import { writeSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { native } from '../../native/native.js';
import { defineBrowserGlobals, packRgb, pictureCount, renderPictures } from './pictures.js';

const OUTPUT = 1;
const RGB_BYTES = 3;
/** Exit status if the reader has closed the pipe. The reader's error is the one to report. */
const EXIT_PIPE_CLOSED = 3;
/** Number of pictures between two progress messages. */
const PROGRESS_PICTURES = 5;

try {
  native().dieWithParent(process.ppid);
} catch {
  // Without the addon, the 'disconnect' event below ends the process.
}
process.title = 'pitv:clip';
process.once('disconnect', () => process.exit(1));
process.once('message', (/** @type {import('./pictures.js').RenderJob} */ job) => void render(job));

/** @param {import('./pictures.js').RenderJob} job */
async function render(job) {
  defineBrowserGlobals(undefined, job.language);
  const picture = Buffer.alloc(job.width * job.height * RGB_BYTES);
  const pictures = pictureCount(job);
  let done = 0;
  for await (const { canvas } of renderPictures(job)) {
    packRgb(canvas, picture);
    writeFully(picture);
    done++;
    if (done % PROGRESS_PICTURES === 0 || done === pictures) process.send?.({ done, pictures });
    await nextTurn();
    if (done === pictures) break;
  }
  process.exitCode = 0;
  process.disconnect?.();
  process.exit(0);
}

/** Writes all bytes to stdout, and waits while the pipe is full. @param {Buffer} bytes */
function writeFully(bytes) {
  for (let at = 0; at < bytes.length;) {
    try {
      at += writeSync(OUTPUT, bytes, at);
    } catch (error) {
      const { code } = /** @type {NodeJS.ErrnoException} */ (error);
      if (code === 'EPIPE') process.exit(EXIT_PIPE_CLOSED);
      if (code !== 'EAGAIN') throw error;
    }
  }
}
