/**
 * The process that films a clip: it is sent a scene, writes its pictures to stdout as they are (rgb24),
 * and tells how far it is. It waits while nobody takes them.
 */
import { writeSync } from 'node:fs';
import { setImmediate as turn } from 'node:timers/promises';
import { native } from '../../native/native.js';
import { film, packRgb, pictureCount, pretendBrowser } from './film.js';

const OUTPUT = 1;
const RGB_BYTES = 3;
/** Exit status when nobody reads the pictures any more; whoever read them knows why. */
const NOBODY_READS = 3;
const TELL_PICTURES = 5;

try {
  native().dieWithParent(process.ppid);
} catch {
  // Without the addon: see 'disconnect' below.
}
process.title = 'pitv:clip';
process.once('disconnect', () => process.exit(1));
process.once('message', (/** @type {import('./film.js').Scene} */ scene) => void make(scene));

/** @param {import('./film.js').Scene} scene */
async function make(scene) {
  pretendBrowser();
  const picture = Buffer.alloc(scene.width * scene.height * RGB_BYTES);
  const pictures = pictureCount(scene);
  let done = 0;
  for await (const { canvas } of film(scene)) {
    packRgb(canvas, picture);
    writeWhole(picture);
    done++;
    if (done % TELL_PICTURES === 0 || done === pictures) process.send?.({ done, pictures });
    await turn();
    if (done === pictures) break;
  }
  process.exitCode = 0;
  process.disconnect?.();
  process.exit(0);
}

/** @param {Buffer} bytes */
function writeWhole(bytes) {
  for (let at = 0; at < bytes.length;) {
    try {
      at += writeSync(OUTPUT, bytes, at);
    } catch (error) {
      const { code } = /** @type {NodeJS.ErrnoException} */ (error);
      if (code === 'EPIPE') process.exit(NOBODY_READS);
      if (code !== 'EAGAIN') throw error;
    }
  }
}
