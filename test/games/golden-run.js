/**
 * Plays each game with seeded inputs and prints the SHA-256 of all its frames and of its last checkpoint,
 * as JSON. A script, so that any version of Node.js can run it.
 */
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { loadGames } from '../../app/game/load-games.js';
import { Pads, smallOptions, wild } from '../../bench/scenarios/bots/play.js';

const TICKS = 1500;

/** @param {import('../../app/game/define.js').Game} game @param {Record<string, number>} options */
function run(game, options) {
  const job = game.start({ ...options, seed: 2013 });
  const sizes = game.sizes(options);
  const frame = new Uint8Array(sizes.frameBytes);
  const checkpoint = new Uint8Array(sizes.checkpointBytes);
  const pads = new Pads(game.players.max);
  const players = [wild(1), undefined, wild(2)].slice(0, game.players.max);
  const hash = createHash('sha256');
  while (job.tick < TICKS) {
    players.forEach((player, slot) => player && pads.set(slot, player(job, slot, job.tick)));
    job.step(pads.readWord, pads.readSequence);
    hash.update(frame.subarray(0, job.writeFrame(frame)));
  }
  return hash.update(checkpoint.subarray(0, job.checkpoint(checkpoint))).digest('hex');
}

const games = await loadGames(fileURLToPath(new URL('../../app/games', import.meta.url)));
console.log(
  JSON.stringify(Object.fromEntries(games.map((game) => [game.id, run(game, smallOptions(game))]))),
);
