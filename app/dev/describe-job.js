/**
 * The job that reads a game in a worker, which is locked before it loads the game. Its checkpoint is the game's
 * description as JSON. With the zygote engine this takes a fork, where a new process would have to load everything.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import '../game/index.js'; // a zygote that has loaded it forks workers that have it, too
import { loadGame } from '../game/load-games.js';

export default {
  /** @param {{path: string, id: string, options: Record<string, unknown>}} request */
  async start({ path, id, options }) {
    const game = await loadGame(path, id);
    await nextTurn(); // an error that is thrown meanwhile ends the worker before it answers
    const dimensions = game.dimensions(options);
    const layout = game.layout(options);
    const bytes = Buffer.from(JSON.stringify({ game, dimensions, layout }));
    return {
      done: true,
      step() {},
      writeFrame: () => 0,
      restore() {},
      /** @param {Uint8Array} target */
      checkpoint(target) {
        if (bytes.length <= target.length) target.set(bytes);
        return bytes.length;
      },
    };
  },
};
