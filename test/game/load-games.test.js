import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { loadGames } from '../../app/game/load-games.js';
import { gameFolder, gameSource } from '../support/game-files.js';

/** @param {string} id @param {number} players */
const gameFile = (id, players) =>
  gameSource(id, { fields: `players: { min: 0, max: ${players} },` });

test('each .js file of the folder is a game; games without players are last', async () => {
  const folder = gameFolder({
    'zebra.mjs.txt': 'no game',
    'pong.js': gameFile('pong', 2),
    'alone.js': gameFile('alone', 0),
    'kart.js': gameFile('kart', 4),
  });
  const games = await loadGames(folder);
  const ids = games.map(({ id }) => id);
  assert.deepEqual(ids, ['kart', 'pong', 'alone']);
  assert.equal(fileURLToPath(games[0].url), join(folder, 'kart.js'));
});

test('the error of an unusable file has its name', async () => {
  for (const text of ['throw new Error("oh")', 'export default {}', gameFile('other', 2)]) {
    const folder = gameFolder({ 'pong.js': text });
    await assert.rejects(loadGames(folder), { code: 'PITV_GAME_INVALID', message: /pong\.js/ });
  }
});
