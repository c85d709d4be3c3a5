/** Plays all games, and prints the hashes of the state and of the frame of each tick. */
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Play } from '../../app/game-test/play.js';
import { listGameFiles, loadGame } from '../../app/game/load-games.js';

const SEED = 2013;
const TICKS = 1000;

for (const path of await listGameFiles(
  fileURLToPath(new URL('../../app/games', import.meta.url)),
)) {
  const id = basename(path, '.js');
  const play = new Play(await loadGame(path, id), SEED);
  const hashes = new Int32Array(2);
  while (play.tick < TICKS) {
    play.step();
    play.hash(hashes, 0);
    console.log(`${id}, tick ${play.tick}: ${hashes}`);
  }
}
