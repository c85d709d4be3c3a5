import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { loadGames } from '../../app/game/load-games.js';

/** @type {string[]} */
const folders = [];
after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true }))));

/** @param {Record<string, string>} files */
async function folderWith(files) {
  const folder = await mkdtemp(join(tmpdir(), 'pitv-games-'));
  folders.push(folder);
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
}

/** @param {string} id @param {number} players */
const gameFile = (id, players) =>
  `export default { id: '${id}', players: { min: 0, max: ${players} }, start() {} };`;

test('the list is the folder: one file one game, those that nobody plays last', async () => {
  const folder = await folderWith({
    'zebra.mjs.txt': 'no game',
    'pong.js': gameFile('pong', 2),
    'alone.js': gameFile('alone', 0),
    'kart.js': gameFile('kart', 4),
  });
  const games = await loadGames(folder);
  assert.deepEqual(
    games.map(({ id }) => id),
    ['kart', 'pong', 'alone'],
  );
  assert.equal(fileURLToPath(games[0].url), join(folder, 'kart.js'));
});

test('a file that does not load, or is not the game it is called after, is named', async () => {
  for (const text of ['throw new Error("oh")', 'export default {}', gameFile('other', 2)]) {
    const folder = await folderWith({ 'pong.js': text });
    await assert.rejects(loadGames(folder), { code: 'PITV_GAME_INVALID', message: /pong\.js/ });
  }
});

test('the games that come with pitv are there', async () => {
  const games = await loadGames(fileURLToPath(new URL('../../app/games', import.meta.url)));
  assert.deepEqual(
    games.map(({ id }) => id),
    ['bumper', 'swarm', 'collide'],
  );
});
