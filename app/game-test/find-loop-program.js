/** The program in which find-loop.js plays a game whose tick does not return. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { KIND } from '../engine/zygote/channel.js';
import { CHANNEL_FD, runLocked } from '../engine/worker/locked-program.js';
import { loadGame } from '../game/load-games.js';
import { Play } from './play.js';

/** Ticks of a match that are played. */
const MATCH_TICKS = 120;
const WATCHER = new URL('./find-loop-watcher.js', import.meta.url);

/** @typedef {import('./find-loop.js').Recording} Recording */
/** @typedef {{path: string, id: string, folder: string, recording: Recording, tickMs: number}} Request */

await runLocked(async (/** @type {Request} */ request, worker, lock) => {
  const { path, id, folder, recording, tickMs } = request;
  const beats = new Int32Array(new SharedArrayBuffer(4));
  const workerData = { beats, tickMs, folder, channel: CHANNEL_FD };
  await once(new Worker(WATCHER, { workerData }), 'message'); // a locked process cannot start a thread
  lock();
  const beat = () => void Atomics.add(beats, 0, 1);
  const game = await loadGame(path, id);
  beat();
  if ('seed' in recording) {
    for (const play = new Play(game, recording.seed); play.tick < recording.ticks; beat()) {
      play.step();
    }
  } else playInputs(game, recording, beat);
  worker.report(KIND.text, '{}');
});

/**
 * @param {import('../game/define.js').Game} game @param {import('./find-loop.js').Inputs} inputs
 * @param {() => void} beat
 */
function playInputs(game, { options, checkpoint, words }, beat) {
  const { frameBytes } = game.sizes(options);
  const frame = new Uint8Array(Math.ceil(frameBytes / 4) * 4);
  const job = game.start(options);
  if (checkpoint) job.restore(checkpoint);
  const readWord = (/** @type {number} */ slot) => words[slot] ?? 0;
  for (let tick = 0; tick < MATCH_TICKS; tick++) {
    job.step(readWord, () => 0);
    job.writeFrame(frame);
    beat();
  }
}
