import { join } from 'node:path';
import { testGame } from '../../app/game-test/test-game.js';
import { gameFolder } from '../support/game-files.js';

const TICKS = 300;

/**
 * Tests a game.
 * @param {import('node:test').TestContext} t
 * @param {string} id @param {string} code
 * @param {Partial<import('../../app/game-test/test-game.js').Plan>} [plan]
 */
export async function judge(t, id, code, plan) {
  const folder = await gameFolder(t, { [`${id}.js`]: code });
  const file = { path: join(folder, `${id}.js`) };
  const fixed = { file, seeds: [1, 2], ticks: TICKS, board: 'pi1' };
  // Some machines cannot lock games, and no machine can lock threads.
  return testGame({ ...fixed, untrusted: 'open', ...plan });
}
