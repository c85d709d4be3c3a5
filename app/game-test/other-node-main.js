/** The program that another Node.js runs: plays runs of a game, and writes the hashes of all ticks to descriptor 3. */
import { writeSync } from 'node:fs';
import { loadGame } from '../game/load-games.js';
import { Play } from './play.js';

const RESULT = 3;

const { path, id, seeds, ticks } = JSON.parse(process.argv[2]);
const game = await loadGame(path, id);
const hashes = seeds.map((/** @type {number} */ seed) => {
  const play = new Play(game, seed);
  const all = new Int32Array(2 * ticks);
  while (play.tick < ticks) {
    play.step();
    play.hash(all, 2 * (play.tick - 1));
  }
  return Buffer.from(all.buffer).toString('base64');
});
const node = `${process.version} ${process.arch}`;
const result = Buffer.from(JSON.stringify({ node, ticks, hashes }));
for (let at = 0; at < result.length;) at += writeSync(RESULT, result, at);
