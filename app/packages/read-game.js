/** The program in which game-reader.js reads a game: answers with the game's description and sizes. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { KIND } from '../engine/zygote/channel.js';
import { runLocked } from '../engine/worker/locked-program.js';
import { loadGame } from '../game/load-games.js';

/** @typedef {{path: string, id?: string, options: Record<string, number>}} Request */

/**
 * Ends the process with an error. Only Node.js itself knows the place of a syntax error, and writes it to stderr if
 * nothing catches the error.
 * @param {unknown} error @param {import('../engine/zygote/inside/worker.js').Worker} worker
 * @returns {Promise<never>} never settles for a syntax error
 */
async function endWith(error, worker) {
  const cause = Reflect.get(Object(error), 'cause');
  if (!(cause instanceof SyntaxError)) throw error;
  process.removeAllListeners('uncaughtException');
  process.once('exit', () => worker.reportLast(KIND.failed, error));
  setImmediate(() => {
    throw cause;
  });
  return new Promise(() => {});
}

await runLocked(async (/** @type {Request} */ { path, id, options }, worker, lock) => {
  lock();
  worker.report(KIND.ready);
  const game = await loadGame(path, id).catch((error) => endWith(error, worker));
  await nextTurn(); // an error that is thrown meanwhile ends the process before it answers
  worker.report(KIND.text, JSON.stringify({ game, dimensions: game.dimensions(options) }));
});
