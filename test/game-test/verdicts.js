/** Tests a bad game, and checks its verdicts. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { testGame } from '../../app/game-test/test-game.js';
import { gameFolder } from '../support/game-files.js';
import { BAD } from './bad-games.js';

const TICKS = 300;

/**
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

/** @param {import('node:test').TestContext} t @param {string} id of a bad game */
export async function checkBadGame(t, id) {
  const { code, fails } = BAD[id];
  const engines = 'engines' in fails ? undefined : ['process'];
  const { passed, verdicts } = await judge(t, id, code, { engines, seeds: [1] });
  assert.equal(passed, false);
  const failed = verdicts.filter(({ verdict }) => verdict === 'fail');
  for (const { name, sentence } of failed) assert.match(sentence, fails[name] ?? /^$/, name);
  const names = failed.map(({ name }) => name);
  assert.deepEqual(names, Object.keys(fails));
}
