/** The program in which game-reader.js reads a game: answers with the game's description and sizes. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { KIND } from '../engine/zygote/channel.js';
import { runLocked } from '../engine/worker/locked-program.js';
import { loadGame } from '../game/load-games.js';

/** @typedef {{path: string, id?: string, options: Record<string, number>}} Request */

await runLocked(async (/** @type {Request} */ { path, id, options }, worker, lock) => {
  lock();
  worker.report(KIND.ready);
  const game = await loadGame(path, id);
  await nextTurn(); // an error that is thrown meanwhile ends the process before it answers
  worker.report(KIND.text, JSON.stringify({ game, dimensions: game.dimensions(options) }));
});
