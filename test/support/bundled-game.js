/** Plays games that come with pitv as packages. */
import assert from 'node:assert/strict';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { TICK_HZ } from '../../app/game/flow.js';
import { BUNDLED } from '../../app/packages/catalog.js';
import { linkPitv } from '../../app/packages/link.js';
import { Pads } from '../../app/game-test/play.js';
import { temporaryFolder } from './folders.js';

/** @typedef {import('../../app/game/define.js').Game} Game */
/** @typedef {import('../../bench/scenarios/bots/play.js').Player} Player */

/**
 * Imports a module of a package as a TV does: a copy outside of pitv, where it finds `pitv/game` by a link. The copy is
 * deleted after the tests of the file.
 * @param {string} name of the package's folder @param {string} [file] @returns {Promise<any>} what the module exports
 */
export async function loadBundled(name, file = 'game.js') {
  const folder = temporaryFolder();
  cpSync(join(BUNDLED, name), join(folder, name), { recursive: true });
  await linkPitv(folder);
  return import(pathToFileURL(join(folder, name, file)).href);
}

/**
 * Starts a match.
 * @param {Game} game @param {(Player | undefined)[]} [players] by slot
 * @param {Record<string, number>} [options] of the game
 */
export function startMatch(game, players = [], options = {}) {
  const job = game.start({ seed: 5, ...options });
  const pads = new Pads(game.players.max);
  const { flow } = job;
  const { world, own } = flow;
  const match = {
    job,
    flow,
    world,
    own,
    players,
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
