/** The process that renders a clip of a game of pitv. It receives a render job as a message, and writes to stdout. */
import { native } from '../../native/native.js';
import { writePictures } from './write-pictures.js';

const OUTPUT = 1;

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
  await writePictures(job, OUTPUT, (done) => process.send?.({ done }));
  process.exitCode = 0;
  process.disconnect?.();
  process.exit(0);
}
