/** The process that renders a clip of a game of others. It locks itself before it imports the game. */
import { KIND } from '../../engine/zygote/channel.js';
import { runLocked } from '../../engine/worker/locked-program.js';
import { writePictures } from './write-pictures.js';

/** The descriptor after the channel, see host/locked-process.js. */
const OUTPUT = 4;

await runLocked(
  async (/** @type {{job: import('./pictures.js').RenderJob}} */ { job }, worker, lock) => {
    process.title = 'pitv:clip';
    lock();
    await writePictures(job, OUTPUT, (done) => worker.report(KIND.text, done));
  },
);
