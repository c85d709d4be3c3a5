/** Plays games, also those that come with pitv as packages. */
import assert from 'node:assert/strict';
import { TICK_HZ } from '../../app/game/flow.js';
import { Pads } from '../../app/game-test/play.js';
import { loadBundled as load } from '../../bench/scenarios/bots/play.js';
import { decodeFrame } from './decode-frame.js';
import { temporaryFolder } from './folders.js';

/** @typedef {import('../../app/game/define.js').Game} Game */
/** @typedef {import('../../bench/scenarios/bots/play.js').Player} Player */

/** Imports a module of a package. @param {string} name of the package's folder @param {string} [file] */
export const loadBundled = (name, file) => load(temporaryFolder(), name, file);

/**
 * Starts a match.
 * @param {Game} game @param {(Player | undefined)[]} [players] by slot
 * @param {Record<string, unknown>} [options] of the game
 */
export function startMatch(game, players = [], options = {}) {
  const job = game.start({ seed: 5, ...options });
  const pads = new Pads(game.players.max);
  const { flow } = job;
  const { world, own } = flow;
  const { frameBytes, checkpointBytes } = game.sizes(options);
  const target = new Uint8Array(frameBytes);
  const raw = () => target.slice(0, job.writeFrame(target));
  const match = {
    game,
    job,
    flow,
    world,
    own,
    players,
    words: pads.words,
    sequences: pads.sequences,
    raw,
    frame: () => decodeFrame(raw()),
    checkpoint() {
      const bytes = new Uint8Array(checkpointBytes);
      assert.equal(job.checkpoint(bytes), bytes.length);
      return bytes;
    },
    step(ticks = 1) {
      for (let i = 0; i < ticks; i++) {
        players.forEach((player, slot) => player && pads.set(slot, player(job, slot, job.tick)));
        job.step(pads.readWord, pads.readSequence);
      }
    },
    /** @param {() => boolean} condition @param {string} what */
    until(condition, what) {
      for (let ticks = 0; !condition(); ticks++) {
        assert.ok(ticks < 300 * TICK_HZ && !job.done, `waited in vain for ${what}`);
        match.step();
      }
    },
    /** @param {number} slot @param {number} x @param {number} y */
    putPlayer(slot, x, y) {
      const id = flow.body[slot];
      [world.x[id], world.y[id]] = [x, y];
      [world.vx[id], world.vy[id]] = [0, 0];
    },
  };
  return match;
}
