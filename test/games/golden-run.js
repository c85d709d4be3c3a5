/**
 * Plays each game for a while with seeded pads and prints the SHA-256 of all its frames and of its
 * last checkpoint, as JSON. A script of its own, so that any Node.js can run it.
 */
import { createHash } from 'node:crypto';
import bumper from '../../app/games/bumper.js';
import collide from '../../app/games/collide.js';
import swarm from '../../app/games/swarm.js';
import { Pads, wild } from './harness.js';

const TICKS = 1500;

/** @param {import('../../app/game/define.js').Game} game @param {Record<string, number>} options */
function run(game, options) {
  const job = game.start({ ...options, seed: 2013 });
  const sizes = game.sizes(options);
  const frame = new Uint8Array(sizes.frameBytes);
  const checkpoint = new Uint8Array(sizes.checkpointBytes);
  const pads = new Pads(game.players.max);
  const players = game.players.max > 0 ? [wild(1), undefined, wild(2)] : [];
  const hash = createHash('sha256');
  while (job.tick < TICKS) {
    players.forEach((player, slot) => player && pads.set(slot, player(job, slot, job.tick)));
    job.step(pads.readWord, pads.readSequence);
    hash.update(frame.subarray(0, job.writeFrame(frame)));
  }
  return hash.update(checkpoint.subarray(0, job.checkpoint(checkpoint))).digest('hex');
}

console.log(
  JSON.stringify({
    bumper: run(bumper, {}),
    swarm: run(swarm, { bodies: 500 }),
    collide: run(collide, { bodies: 300 }),
  }),
);
